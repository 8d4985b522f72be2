//! The way of a deployment, as messages between those who take part.
//!
//! `docs/images/deploy-sequence.tsv` is the list. `tests/it/agent/sequence.rs` deploys a machine and
//! compares: what the conductor logs, what hardware is asked for, what the machine fetches and what
//! its agent is told must be these things in this order.

use super::svg::Picture;
use anyhow::{Context, Result, bail};

const LEFT: f64 = 110.0;
const TOP: f64 = 60.0;
const HEAD: f64 = 44.0;
const STEP: f64 = 34.0;

struct Lane<'a> {
    key: &'a str,
    name: &'a str,
    about: &'a str,
}

pub(super) fn draw(table: &str) -> Result<String> {
    let mut lanes = Vec::new();
    let mut rows = Vec::new();
    let lines = table
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    for line in lines {
        match line.split('\t').collect::<Vec<_>>()[..] {
            ["lane", key, name, about] => lanes.push(Lane { key, name, about }),
            [from, to, text, _evidence] => rows.push((from, to, text)),
            _ => bail!("not four columns: {line}"),
        }
    }
    let pitch = 212.0;
    let x = |key: &str| -> Result<f64> {
        let index = lanes.iter().position(|lane| lane.key == key);
        let index = index.with_context(|| format!("there is no lane '{key}'"))?;
        Ok(pitch * f64::from(u32::try_from(index)?) + LEFT)
    };
    let count = f64::from(u32::try_from(rows.len())?);
    let last = f64::from(u32::try_from(lanes.len().saturating_sub(1))?);
    let bottom = STEP.mul_add(count, TOP + HEAD + 26.0);
    let width = pitch.mul_add(last, 2.0 * LEFT);
    let mut picture = Picture::new("A machine is deployed", width, bottom + 24.0);
    picture.text("text h", "start", (24.0, 34.0), "A machine is deployed");
    for lane in &lanes {
        let x = x(lane.key)?;
        picture.path("rule", &[(x, TOP + HEAD), (x, bottom)], false);
        picture.rect("transient", (x - 82.0, TOP), (164.0, HEAD), 7.0);
        picture.text("text b", "middle", (x, TOP + 19.0), lane.name);
        picture.text("faint s", "middle", (x, TOP + 35.0), lane.about);
    }
    let mut y = TOP + HEAD + 34.0;
    for (from, to, text) in rows {
        let [start, end] = [x(from)?, x(to)?];
        if from == to {
            let half = 92.0;
            picture.rect("stable", (start - half, y - 19.0), (2.0 * half, 25.0), 12.0);
            picture.text("text s b", "middle", (start, y - 2.5), text);
        } else {
            picture.path("ask", &[(start, y), (end, y)], true);
            let middle = f64::midpoint(start, end);
            picture.text("text s halo", "middle", (middle, y - 5.0), text);
        }
        y += STEP;
    }
    Ok(picture.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_goes_between_lanes_that_exist() {
        let table = "# a comment\nlane\ta\tA\tone\nlane\tb\tB\ttwo\na\tb\thello\t-\nb\tb\tthinks\tevent:x\n";
        let picture = draw(table).unwrap();
        assert!(picture.contains(">hello</text>") && picture.contains(">thinks</text>"));
        assert!(draw("lane\ta\tA\tone\na\tc\thello\t-\n").is_err());
        assert!(draw("a\tb\n").is_err());
    }
}
