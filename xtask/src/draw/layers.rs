//! The crates of the program in layers: each stands above everything that it depends on.
//!
//! Boxes and lines are those of the manifests, which `cargo xtask arrows` compares with its table;
//! the words in a box are how the crate introduces itself in its `lib.rs`. A dependency that
//! another one implies is left out.

use super::svg::{Picture, short};
use crate::arrows;
use anyhow::{Context, Result};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

const BOX: (f64, f64) = (174.0, 84.0);
const GAP: (f64, f64) = (22.0, 58.0);
/// Room that a line takes where it passes a layer.
const PASSAGE: f64 = 18.0;
const MARGIN: f64 = 28.0;
const TOP: f64 = 64.0;
/// Characters on a line of a box, and in all of it.
const LINE: usize = 26;
const MOST: usize = 90;

type Dependencies = BTreeMap<String, BTreeSet<String>>;

pub(super) fn draw(root: &Path) -> Result<String> {
    let all = arrows::dependencies(root)?;
    let mut words = BTreeMap::new();
    for name in all.keys() {
        let path = root.join("crates").join(name).join("src/lib.rs");
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        words.insert(name.clone(), introduction(&text));
    }
    Ok(Layers::new(&all).draw(&words))
}

/// The first sentence of a file's opening comment; its first clause if that is too long.
fn introduction(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let paragraph: Vec<&str> = lines
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let paragraph = paragraph.join(" ").replace('`', "");
    let upto = |signs: &[char]| paragraph.split(signs).next().unwrap_or_default();
    let sentence = upto(&['.', ';']);
    let fits = sentence.chars().count() <= MOST;
    let shown = if fits {
        sentence
    } else {
        upto(&[':', '.', ';'])
    };
    shown.to_owned()
}

fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= LINE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A crate, or the place where a line passes a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Spot {
    Crate(String),
    Passage(usize),
}

struct Layers {
    /// From the bottom up, each from left to right.
    layers: Vec<Vec<Spot>>,
    /// Lines from above to below, through passages.
    lines: Vec<Vec<(usize, Spot)>>,
}

fn depth(all: &Dependencies, name: &str) -> usize {
    let below = all.get(name).into_iter().flatten();
    below.map(|below| depth(all, below) + 1).max().unwrap_or(0)
}

fn reaches(all: &Dependencies, from: &str, to: &str) -> bool {
    let below = all.get(from).into_iter().flatten();
    below
        .into_iter()
        .any(|below| below == to || reaches(all, below, to))
}

/// Dependencies that no other one implies.
fn reduced(all: &Dependencies) -> Vec<(String, String)> {
    let mut edges = Vec::new();
    for (name, below) in all {
        for one in below {
            let implied = below
                .iter()
                .any(|other| other != one && reaches(all, other, one));
            if !implied {
                edges.push((name.clone(), one.clone()));
            }
        }
    }
    edges
}

impl Layers {
    fn new(all: &Dependencies) -> Self {
        let deepest = all.keys().map(|name| depth(all, name)).max().unwrap_or(0);
        let mut layers = vec![Vec::new(); deepest + 1];
        for name in all.keys() {
            layers[depth(all, name)].push(Spot::Crate(name.clone()));
        }
        let mut lines = Vec::new();
        let mut passages = 0;
        for (from, to) in reduced(all) {
            let [high, low] = [depth(all, &from), depth(all, &to)];
            let mut line = vec![(high, Spot::Crate(from))];
            for layer in (low + 1..high).rev() {
                passages += 1;
                layers[layer].push(Spot::Passage(passages));
                line.push((layer, Spot::Passage(passages)));
            }
            line.push((low, Spot::Crate(to)));
            lines.push(line);
        }
        let mut made = Self { layers, lines };
        made.order();
        made
    }

    /// Puts neighbours of different layers near each other: each spot moves to the mean place of
    /// what it is connected with, up and down a few times.
    fn order(&mut self) {
        for round in 0..24 {
            let count = self.layers.len();
            for step in 0..count {
                let layer = if round % 2 == 0 {
                    step
                } else {
                    count - 1 - step
                };
                let centers = self.centers();
                let mut keyed: Vec<(f64, Spot)> = self.layers[layer]
                    .iter()
                    .map(|spot| (self.pull(layer, spot, &centers), spot.clone()))
                    .collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.layers[layer] = keyed.into_iter().map(|(_, spot)| spot).collect();
            }
        }
    }

    fn pull(&self, layer: usize, spot: &Spot, centers: &[Vec<f64>]) -> f64 {
        let mut sum = 0.0;
        let mut count = 0.0;
        for line in &self.lines {
            for pair in line.windows(2) {
                let other = match (&pair[0], &pair[1]) {
                    (here, other) if here.0 == layer && here.1 == *spot => other,
                    (other, here) if here.0 == layer && here.1 == *spot => other,
                    _ => continue,
                };
                sum += self.center(other, centers);
                count += 1.0;
            }
        }
        if count > 0.0 {
            sum / count
        } else {
            self.center(&(layer, spot.clone()), centers)
        }
    }

    fn center(&self, (layer, spot): &(usize, Spot), centers: &[Vec<f64>]) -> f64 {
        let index = self.layers[*layer].iter().position(|one| one == spot);
        index.map_or(0.0, |index| centers[*layer][index])
    }

    fn width(layer: &[Spot]) -> f64 {
        let widths = layer.iter().map(|spot| Self::room(spot) + GAP.0);
        widths.sum::<f64>() - GAP.0
    }

    fn room(spot: &Spot) -> f64 {
        match spot {
            Spot::Crate(_) => BOX.0,
            Spot::Passage(_) => PASSAGE,
        }
    }

    fn widest(&self) -> f64 {
        self.layers
            .iter()
            .map(|layer| Self::width(layer))
            .fold(0.0, f64::max)
    }

    /// The middle of every spot; each layer is centered.
    fn centers(&self) -> Vec<Vec<f64>> {
        let widest = self.widest();
        let layers = self.layers.iter().map(|layer| {
            let mut left = MARGIN + (widest - Self::width(layer)) / 2.0;
            let spots = layer.iter().map(|spot| {
                let room = Self::room(spot);
                let center = left + room / 2.0;
                left += room + GAP.0;
                center
            });
            spots.collect()
        });
        layers.collect()
    }

    fn draw(&self, words: &BTreeMap<String, String>) -> String {
        let centers = self.centers();
        let count = u32::try_from(self.layers.len()).unwrap_or(0);
        let pitch = BOX.1 + GAP.1;
        let width = self.widest() + 2.0 * MARGIN;
        let height = pitch.mul_add(f64::from(count), TOP) - GAP.1 + MARGIN;
        let mut picture = Picture::new("The crates of Corten", width, height);
        picture.text("text h", "start", (MARGIN, 36.0), "The crates of Corten");
        let note = "a line leads down to what a crate depends on; what follows from other lines is left out";
        picture.text("faint s", "end", (width - MARGIN, 36.0), note);
        let top_of = |layer: usize| {
            let below = u32::try_from(self.layers.len() - 1 - layer).unwrap_or(0);
            pitch.mul_add(f64::from(below), TOP)
        };
        for line in &self.lines {
            let mut d = String::new();
            for pair in line.windows(2) {
                let [above, below] = [&pair[0], &pair[1]];
                let from = (self.center(above, &centers), top_of(above.0) + BOX.1);
                let to = (self.center(below, &centers), top_of(below.0));
                let middle = f64::midpoint(from.1, to.1);
                if d.is_empty() {
                    d = format!("M{} {}", short(from.0), short(from.1));
                } else {
                    d += &format!("L{} {}", short(from.0), short(from.1));
                }
                d += &format!(
                    "C{} {} {} {} {} {}",
                    short(from.0),
                    short(middle),
                    short(to.0),
                    short(middle),
                    short(to.0),
                    short(to.1)
                );
            }
            picture.curve("line", &d, true);
        }
        for (layer, spots) in self.layers.iter().enumerate() {
            for (index, spot) in spots.iter().enumerate() {
                let Spot::Crate(name) = spot else { continue };
                let middle = centers[layer][index];
                let top = top_of(layer);
                let class = if name == "corten" {
                    "rust"
                } else {
                    "transient"
                };
                picture.rect(class, (middle - BOX.0 / 2.0, top), BOX, 7.0);
                picture.text("text b", "middle", (middle, top + 18.0), name);
                let mut y = top + 33.0;
                for line in wrapped(&words[name]).iter().take(4) {
                    picture.text("faint s", "middle", (middle, y), line);
                    y += 13.0;
                }
            }
        }
        picture.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &[&str])]) -> Dependencies {
        let own = |name: &&str| (*name).to_owned();
        edges
            .iter()
            .map(|(name, below)| (own(name), below.iter().map(own).collect()))
            .collect()
    }

    #[test]
    fn crates_stand_above_what_they_know_and_implied_lines_are_left_out() {
        let all = graph(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[]), ("d", &["c"])]);
        assert_eq!(
            (depth(&all, "a"), depth(&all, "c"), depth(&all, "d")),
            (2, 0, 1)
        );
        let edges = reduced(&all);
        let edges: Vec<_> = edges
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        assert_eq!(edges, [("a", "b"), ("b", "c"), ("d", "c")]);
        let far = graph(&[("a", &["b", "z"]), ("b", &["c"]), ("c", &[]), ("z", &[])]);
        let layers = Layers::new(&far);
        assert_eq!(
            layers.lines.iter().map(Vec::len).max(),
            Some(3),
            "it passes a layer"
        );
    }

    #[test]
    fn a_crate_introduces_itself_by_its_first_clause() {
        let long = format!("//! The `store`: SQL,\n//! {}.\n", "and so on ".repeat(9));
        assert_eq!(introduction(&long), "The store");
        assert_eq!(introduction("//! A: b.\n//! C."), "A: b");
        assert_eq!(
            introduction("//! Byte formats,\n//! both ways.\n//!\n//! More"),
            "Byte formats, both ways"
        );
    }
}
