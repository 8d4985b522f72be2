//! The few shapes that the pictures are made of.
//!
//! Colours are classes, so that one style sheet gives all pictures the same two palettes.

use std::fmt::Write as _;

/// Class, colour on a light page, colour on a dark page; `f` fills and `s` strokes.
const PALETTE: &[(&str, &str, &str, &str)] = &[
    ("page", "f", "#ffffff", "#0d1117"),
    ("page", "s", "#d0d7de", "#30363d"),
    ("text", "f", "#1f2328", "#e6edf3"),
    ("faint", "f", "#59636e", "#9198a1"),
    ("rule", "s", "#d0d7de", "#30363d"),
    ("band", "f", "#f6f8fa", "#151b23"),
    ("stable", "f", "#ddf4e4", "#12361f"),
    ("stable", "s", "#1a7f37", "#3fb950"),
    ("transient", "f", "#ddeeff", "#0c2d52"),
    ("transient", "s", "#0969da", "#4493f8"),
    ("waiting", "f", "#fff4d0", "#3b2e00"),
    ("waiting", "s", "#9a6700", "#d29922"),
    ("hold", "f", "#f3e8ff", "#2f1a4d"),
    ("hold", "s", "#8250df", "#ab7df8"),
    ("failed", "f", "#ffe5e3", "#4c1613"),
    ("failed", "s", "#cf222e", "#f85149"),
    ("ask", "s", "#0969da", "#4493f8"),
    ("ask", "f", "#0969da", "#4493f8"),
    ("done", "s", "#1a7f37", "#3fb950"),
    ("done", "f", "#1a7f37", "#3fb950"),
    ("fail", "s", "#cf222e", "#f85149"),
    ("fail", "f", "#cf222e", "#f85149"),
    ("wait", "s", "#9a6700", "#d29922"),
    ("wait", "f", "#9a6700", "#d29922"),
    ("pause", "s", "#8250df", "#ab7df8"),
    ("pause", "f", "#8250df", "#ab7df8"),
    ("line", "s", "#818b98", "#656c76"),
    ("line", "f", "#818b98", "#656c76"),
    ("rust", "f", "#fbe9dc", "#3d2415"),
    ("rust", "s", "#b7410e", "#e0824f"),
];

/// Lines that end in an arrow head of their colour.
const ARROWS: &[&str] = &["ask", "done", "fail", "wait", "pause", "line"];

pub(super) struct Picture {
    title: String,
    width: f64,
    height: f64,
    body: String,
    style: String,
}

impl Picture {
    pub(super) fn new(title: &str, width: f64, height: f64) -> Self {
        Self {
            title: title.to_owned(),
            width,
            height,
            body: String::new(),
            style: String::new(),
        }
    }

    /// Rules for this picture alone.
    pub(super) fn style(&mut self, rules: &str) {
        self.style += rules;
    }

    pub(super) fn raw(&mut self, element: &str) {
        self.body += element;
        self.body.push('\n');
    }

    pub(super) fn rect(&mut self, class: &str, corner: (f64, f64), size: (f64, f64), round: f64) {
        let element = format!(
            r#"<rect class="{class}" x="{}" y="{}" width="{}" height="{}" rx="{}"/>"#,
            short(corner.0),
            short(corner.1),
            short(size.0),
            short(size.1),
            short(round)
        );
        self.raw(&element);
    }

    /// `anchor` is start, middle or end.
    pub(super) fn text(&mut self, class: &str, anchor: &str, at: (f64, f64), text: &str) {
        let element = format!(
            r#"<text class="{class}" x="{}" y="{}" text-anchor="{anchor}">{}</text>"#,
            short(at.0),
            short(at.1),
            escaped(text)
        );
        self.raw(&element);
    }

    /// Straight lines from point to point, with round corners; ends in an arrow head if the class
    /// has one and `arrow` says so.
    pub(super) fn path(&mut self, class: &str, points: &[(f64, f64)], arrow: bool) {
        let [first, .., last] = points else { return };
        let mut d = format!("M{} {}", short(first.0), short(first.1));
        for corner in points.windows(3) {
            let [before, at, after] = [corner[0], corner[1], corner[2]];
            let [start, end] = [towards(at, before), towards(at, after)];
            let _ = write!(
                d,
                "L{} {}Q{} {} {} {}",
                short(start.0),
                short(start.1),
                short(at.0),
                short(at.1),
                short(end.0),
                short(end.1)
            );
        }
        let _ = write!(d, "L{} {}", short(last.0), short(last.1));
        self.curve(class, &d, arrow);
    }

    pub(super) fn curve(&mut self, class: &str, d: &str, arrow: bool) {
        let name = class.split(' ').next().unwrap_or(class);
        let marker = if arrow && ARROWS.contains(&name) {
            format!(r#" marker-end="url(#{name})""#)
        } else {
            String::new()
        };
        self.raw(&format!(r#"<path class="wire {class}" d="{d}"{marker}/>"#));
    }

    pub(super) fn finish(self) -> String {
        let mut light = String::new();
        let mut dark = String::new();
        for (class, part, day, night) in PALETTE {
            let property = if *part == "f" { "fill" } else { "stroke" };
            // What is a line has no inside, and what is a label has no outline.
            let selector = match (*part, ARROWS.contains(class)) {
                ("s", true) => format!("path.{class}"),
                ("f", true) => format!("text.{class},marker .{class}"),
                ("f", false) if ["text", "faint"].contains(class) => format!("text.{class}"),
                _ => format!(".{class}"),
            };
            let _ = write!(light, "{selector}{{{property}:{day}}}");
            let _ = write!(dark, "{selector}{{{property}:{night}}}");
        }
        let mut markers = String::new();
        for name in ARROWS {
            let _ = write!(
                markers,
                r#"<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="{name}" stroke="none" d="M0 .8L7.5 4L0 7.2z"/></marker>"#
            );
        }
        let Self {
            title,
            width,
            height,
            body,
            style,
        } = self;
        let (w, h) = (short(width), short(height));
        let title = escaped(&title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\" aria-label=\"{title}\">\n\
             <title>{title}</title>\n\
             <style>text{{font-family:-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',Helvetica,Arial,sans-serif;font-size:13px}}\
             .b{{font-weight:600}}.s{{font-size:11px}}.h{{font-size:17px;font-weight:600}}\
             .wire{{fill:none;stroke-width:1.4}}.dashed{{stroke-dasharray:4 3}}marker path{{stroke:none!important}}\
             {light}{style}@media(prefers-color-scheme:dark){{{dark}}}</style>\n\
             <defs>{markers}</defs>\n\
             <rect class=\"page\" x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n\
             {body}</svg>\n",
            short(width - 1.0),
            short(height - 1.0)
        )
    }
}

/// The point where a round corner begins: some way from the corner towards its neighbour.
fn towards(corner: (f64, f64), neighbour: (f64, f64)) -> (f64, f64) {
    let (dx, dy) = (neighbour.0 - corner.0, neighbour.1 - corner.1);
    let length = dx.hypot(dy);
    let part = if length < 0.1 {
        0.0
    } else {
        6.0_f64.min(length / 2.0) / length
    };
    (dx.mul_add(part, corner.0), dy.mul_add(part, corner.1))
}

/// A number with at most one decimal, so that the files stay readable and the same everywhere.
pub(super) fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
