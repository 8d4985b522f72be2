//! The provision state machine: a row for each operation, a column for each class of states.
//!
//! The column of a state is its class and its transitions are those of the table, so neither can be
//! drawn wrong. Only the row is chosen here, and a state without one is refused. Transitions between
//! neighbours are arrows; the others, mostly ways out of failures, stand as text in the box that
//! they leave. A test counts that every transition is drawn once.

use super::svg::Picture;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use types::{
    ProvisionState as S,
    provision::{StateClass, Verb},
};

/// The states of each operation, from the first contact to the end.
const ROWS: &[&[S]] = &[
    &[S::Enroll, S::Verifying],
    &[
        S::Manageable,
        S::Inspecting,
        S::InspectWait,
        S::InspectFailed,
    ],
    &[S::Adopting, S::AdoptFailed],
    &[S::Cleaning, S::CleanWait, S::CleanHold, S::CleanFailed],
    &[
        S::Available,
        S::Deploying,
        S::DeployWait,
        S::DeployHold,
        S::DeployFailed,
    ],
    &[
        S::Active,
        S::Servicing,
        S::ServiceWait,
        S::ServiceHold,
        S::ServiceFailed,
    ],
    &[S::Rescuing, S::RescueWait, S::RescueFailed],
    &[S::Rescue, S::Unrescuing, S::UnrescueFailed],
    &[S::Error, S::Deleting],
];

/// Class, heading, left edge and width of each column.
const COLUMNS: &[(StateClass, &str, f64, f64)] = &[
    (StateClass::Stable, "stable", 78.0, 130.0),
    (StateClass::Transient, "a conductor works", 480.0, 120.0),
    (StateClass::Waiting, "waits for the ramdisk", 690.0, 140.0),
    (StateClass::Hold, "on hold", 920.0, 140.0),
    (StateClass::Failed, "failed", 1130.0, 190.0),
];

const TOP: f64 = 78.0;
const NAME_HEIGHT: f64 = 34.0;
const NOTE_HEIGHT: f64 = 15.0;
const ROW_GAP: f64 = 52.0;
/// The first wire of a box, and the distance to the next.
const PORT_TOP: f64 = 10.0;
const PORT_PITCH: f64 = 14.0;

type Transition = (S, Verb, S);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Route {
    /// Between a stable state and work, or from one work to the next: through the gutter.
    Gutter,
    /// From one stable state to another.
    Spine,
    /// Within a row, between work and waiting.
    Pause,
    /// Within a row, to or from a hold.
    Hold,
    /// Within a row, to its failure.
    Failure,
    /// As text in the box.
    Note,
}

#[derive(Clone, Copy)]
struct BoxPosition {
    row: usize,
    column: usize,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl BoxPosition {
    fn right(self) -> f64 {
        self.left + self.width
    }
    fn bottom(self) -> f64 {
        self.top + self.height
    }
    fn middle(self) -> f64 {
        self.left + self.width / 2.0
    }
}

pub(super) fn draw() -> Result<String> {
    let mut sheet = Sheet::new()?;
    sheet.headings();
    sheet.boxes();
    sheet.gutter();
    sheet.within_rows();
    Ok(sheet.picture.finish())
}

struct Sheet {
    picture: Picture,
    places: BTreeMap<S, BoxPosition>,
    ways: BTreeMap<Route, Vec<Transition>>,
}

fn transitions() -> impl Iterator<Item = Transition> {
    S::ALL.iter().flat_map(|&from| {
        from.events()
            .filter_map(move |verb| Some((from, verb, from.after(verb)?)))
    })
}

fn row_of(state: S) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&state))
}

fn column_of(state: S) -> Option<usize> {
    COLUMNS.iter().position(|column| column.0 == state.class())
}

fn way((from, _, to): Transition) -> Route {
    use StateClass as C;
    let same_row = row_of(from) == row_of(to);
    match (from.class(), to.class()) {
        (C::Stable, C::Stable) => Route::Spine,
        (C::Stable, C::Transient) if from != S::Error || same_row => Route::Gutter,
        (C::Transient, C::Stable | C::Transient) => Route::Gutter,
        (C::Transient, C::Waiting) | (C::Waiting, C::Transient) if same_row => Route::Pause,
        (C::Transient | C::Waiting, C::Hold) | (C::Hold, C::Waiting) if same_row => Route::Hold,
        (C::Transient | C::Waiting | C::Hold, C::Failed) if same_row => Route::Failure,
        _ => Route::Note,
    }
}

/// How many wires meet the left side of a box of work.
fn wires_of(state: S) -> usize {
    let mut ends: Vec<(S, S)> = transitions()
        .filter(|&transition| way(transition) == Route::Gutter)
        .map(|(from, _, to)| (from, to))
        .filter(|&(from, to)| {
            state.class() == StateClass::Transient && (from == state || to == state)
        })
        .collect();
    ends.sort_unstable();
    ends.dedup();
    ends.len()
}

/// How far down a stable state must reach for the wires to a failure beside it to be straight.
fn wires_to(work: S, hub: S) -> usize {
    let fails = hub.class() == StateClass::Stable && work.after(Verb::Fail) == Some(hub);
    if fails { wires_of(work) } else { 0 }
}

/// Where transitions of the same kind lead, with their verbs: `deploy, rebuild → deploying`.
fn notes(state: S) -> Vec<String> {
    let mut targets: Vec<(S, Vec<&str>)> = Vec::new();
    for (from, verb, to) in transitions() {
        if from != state || way((from, verb, to)) != Route::Note {
            continue;
        }
        match targets.iter_mut().find(|(target, _)| *target == to) {
            Some((_, verbs)) => verbs.push(verb.as_str()),
            None => targets.push((to, vec![verb.as_str()])),
        }
    }
    targets
        .iter()
        .map(|(to, verbs)| format!("{} → {to}", verbs.join(", ")))
        .collect()
}

fn class_name(state: S) -> &'static str {
    match state.class() {
        StateClass::Stable => "stable",
        StateClass::Transient => "transient",
        StateClass::Waiting => "waiting",
        StateClass::Hold => "hold",
        StateClass::Failed => "failed",
    }
}

impl Sheet {
    fn new() -> Result<Self> {
        let mut places = BTreeMap::new();
        let mut top = TOP;
        for (row, states) in ROWS.iter().enumerate() {
            let mut deepest = NAME_HEIGHT;
            for &state in *states {
                let column = column_of(state).context("a class of states has no column")?;
                let (_, _, left, width) = COLUMNS[column];
                let lines = u32::try_from(notes(state).len())?;
                let extra = if lines == 0 { 0.0 } else { 4.0 };
                let height = NOTE_HEIGHT.mul_add(f64::from(lines), NAME_HEIGHT) + extra;
                let wires = u32::try_from(wires_of(state))?;
                let height = height.max(PORT_PITCH.mul_add(f64::from(wires), 6.0));
                let wires = u32::try_from(
                    states
                        .iter()
                        .map(|&one| wires_to(one, state))
                        .max()
                        .unwrap_or(0),
                )?;
                let height = height.max(PORT_PITCH.mul_add(f64::from(wires), 6.0));
                deepest = deepest.max(height);
                let place = BoxPosition {
                    row,
                    column,
                    left,
                    top,
                    width,
                    height,
                };
                places.insert(state, place);
            }
            top += deepest + ROW_GAP;
        }
        for state in S::ALL {
            places.get(state).with_context(|| {
                format!("state '{state}' has no row in xtask/src/draw/states.rs")
            })?;
        }
        let mut ways: BTreeMap<Route, Vec<Transition>> = BTreeMap::new();
        for transition in transitions() {
            ways.entry(way(transition)).or_default().push(transition);
        }
        let picture = Picture::new("Provision states of a node", 1340.0, top + 6.0);
        Ok(Self {
            picture,
            places,
            ways,
        })
    }

    fn headings(&mut self) {
        self.picture.text(
            "text h",
            "start",
            (20.0, 32.0),
            "Provision states of a node",
        );
        let legend = [
            ("ask", "requested by a user"),
            ("done", "done"),
            ("fail", "fail, abort"),
            ("wait", "wait, resume"),
            ("pause", "hold, unhold"),
        ];
        let mut left = 690.0;
        for (class, text) in legend {
            self.picture
                .path(class, &[(left, 27.0), (left + 26.0, 27.0)], true);
            self.picture
                .text("faint s", "start", (left + 32.0, 31.0), text);
            left += 44.0 + 7.0 * f64::from(u32::try_from(text.len()).unwrap_or(0));
        }
        for (_, heading, left, width) in COLUMNS {
            let at = (left + width / 2.0, 62.0);
            self.picture.text("faint s", "middle", at, heading);
        }
    }

    fn boxes(&mut self) {
        for (&state, place) in &self.places {
            let class = class_name(state);
            self.picture.rect(
                class,
                (place.left, place.top),
                (place.width, place.height),
                7.0,
            );
            let notes = notes(state);
            let above = if notes.is_empty() {
                place.height / 2.0 + 5.0
            } else {
                22.0
            };
            let name = (place.middle(), place.top + above);
            self.picture.text("text b", "middle", name, state.as_str());
            let mut line = place.top + NAME_HEIGHT + 8.0;
            for note in notes {
                let at = (place.middle(), line);
                self.picture.text("text s", "middle", at, &note);
                line += NOTE_HEIGHT;
            }
        }
    }

    /// Wires between stable states and work. Those of one stable state share a vertical line, one
    /// for ways out and one for ways back.
    fn gutter(&mut self) {
        let wires = self.ways.get(&Route::Gutter).cloned().unwrap_or_default();
        // Verbs that lead the same way are one wire.
        let mut merged: Vec<(S, S, Vec<Verb>)> = Vec::new();
        for (from, verb, to) in wires {
            match merged.iter_mut().find(|(f, t, _)| (*f, *t) == (from, to)) {
                Some((.., verbs)) => verbs.push(verb),
                None => merged.push((from, to, vec![verb])),
            }
        }
        let mut ports = Ports::default();
        let mut trunks: Vec<(S, bool)> = Vec::new();
        let stable_right = COLUMNS[0].2 + COLUMNS[0].3;
        for (from, to, verbs) in merged {
            let outward = from.class() == StateClass::Stable;
            let (hub, work) = if outward { (from, to) } else { (to, from) };
            let [hub_place, work_place] = [self.places[&hub], self.places[&work]];
            let class = match (outward, verbs.as_slice()) {
                (true, _) => "ask",
                (_, [Verb::Fail]) => "fail",
                _ => "done",
            };
            let words: Vec<&str> = verbs.iter().map(|verb| verb.as_str()).collect();
            let words = words.join(", ");
            let work_y = work_place.top + ports.next(work);
            let between = hub.class() != StateClass::Stable;
            let straight = hub_place.row == work_place.row && !between;
            let label_end = work_place.left - if outward { 14.0 } else { 8.0 };
            if straight {
                let ends = [(stable_right, work_y), (work_place.left, work_y)];
                let ends = if outward { ends } else { [ends[1], ends[0]] };
                self.picture.path(class, &ends, true);
            } else {
                let track = match trunks.iter().position(|trunk| *trunk == (hub, outward)) {
                    Some(track) => track,
                    None => {
                        trunks.push((hub, outward));
                        trunks.len() - 1
                    }
                };
                let track = u32::try_from(track).unwrap_or(0);
                let x = 17.0_f64.mul_add(f64::from(track), stable_right + 26.0);
                let (hub_x, hub_y) = if between {
                    (hub_place.left, hub_place.top + ports.next(hub))
                } else {
                    let y = if outward {
                        PORT_TOP
                    } else {
                        PORT_TOP + PORT_PITCH
                    };
                    (stable_right, hub_place.top + y)
                };
                let points = [
                    (hub_x, hub_y),
                    (x, hub_y),
                    (x, work_y),
                    (work_place.left, work_y),
                ];
                let reversed = [points[3], points[2], points[1], points[0]];
                let points = if outward { points } else { reversed };
                self.picture.path(class, &points, true);
            }
            let label = (label_end, work_y - 3.0);
            self.picture
                .text(&format!("{class} s"), "end", label, &words);
        }
        self.spine();
    }

    fn spine(&mut self) {
        for (index, (from, verb, to)) in self
            .ways
            .remove(&Route::Spine)
            .into_iter()
            .flatten()
            .enumerate()
        {
            let [start, end] = [self.places[&from], self.places[&to]];
            let x = COLUMNS[0].2 - 22.0 - 12.0 * f64::from(u32::try_from(index).unwrap_or(0));
            let ys = [start.top + 17.0, end.top + 17.0];
            let points = [
                (start.left, ys[0]),
                (x, ys[0]),
                (x, ys[1]),
                (end.left, ys[1]),
            ];
            self.picture.path("ask", &points, true);
            let at = (x + 5.0, f64::midpoint(ys[0], ys[1]));
            self.picture.text("ask s", "start", at, verb.as_str());
        }
    }

    fn within_rows(&mut self) {
        for row in 0..ROWS.len() {
            self.pauses(row);
            self.holds(row);
            self.failures(row);
        }
    }

    /// Transitions of one way in one row: from, to and the verbs.
    fn of_row(&self, way: Route, row: usize) -> Vec<(BoxPosition, BoxPosition, String)> {
        let mut merged: Vec<(S, S, Vec<&str>)> = Vec::new();
        for (from, verb, to) in self.ways.get(&way).into_iter().flatten() {
            if self.places[from].row != row {
                continue;
            }
            match merged.iter_mut().find(|(f, t, _)| f == from && t == to) {
                Some((.., verbs)) => verbs.push(verb.as_str()),
                None => merged.push((*from, *to, vec![verb.as_str()])),
            }
        }
        let placed = merged
            .into_iter()
            .map(|(from, to, verbs)| (self.places[&from], self.places[&to], verbs.join(", ")));
        placed.collect()
    }

    fn pauses(&mut self, row: usize) {
        for (from, to, verbs) in self.of_row(Route::Pause, row) {
            let forth = from.column < to.column;
            let y = from.top + if forth { 11.0 } else { 25.0 };
            let ends = if forth {
                [(from.right(), y), (to.left, y)]
            } else {
                [(from.left, y), (to.right(), y)]
            };
            self.picture.path("wait", &ends, true);
            let middle = (ends[0].0 + ends[1].0) / 2.0;
            self.picture
                .text("wait s", "middle", (middle, y - 3.0), &verbs);
        }
    }

    fn holds(&mut self, row: usize) {
        for (from, to, verbs) in self.of_row(Route::Hold, row) {
            let back = from.column > to.column;
            let far = to.column - from.column.min(to.column) > 1;
            if far {
                let y = from.top - 12.0;
                let start = from.right() - 20.0;
                let end = to.left + 30.0;
                let points = [(start, from.top), (start, y), (end, y), (end, to.top)];
                self.picture.path("pause", &points, true);
                let label = (from.right() + 46.0, y - 3.0);
                self.picture.text("pause s", "middle", label, &verbs);
                continue;
            }
            let y = from.top + if back { 25.0 } else { 11.0 };
            let ends = if back {
                [(from.left, y), (to.right(), y)]
            } else {
                [(from.right(), y), (to.left, y)]
            };
            self.picture.path("pause", &ends, true);
            let middle = (ends[0].0 + ends[1].0) / 2.0;
            self.picture
                .text("pause s", "middle", (middle, y - 3.0), &verbs);
        }
    }

    /// All failures of a row go along one line below its boxes.
    fn failures(&mut self, row: usize) {
        let failures = self.of_row(Route::Failure, row);
        let lowest = failures
            .iter()
            .map(|(from, ..)| from.bottom())
            .fold(0.0, f64::max);
        for (from, to, verbs) in failures {
            let rail = lowest + 20.0;
            let x = from.middle() + 18.0;
            let enter = to.top + 17.0;
            let before = to.left - 24.0;
            let mut points = vec![(x, from.bottom()), (x, rail)];
            if rail > to.top + 8.0 && rail < to.bottom() - 8.0 {
                points.push((to.left, rail));
            } else {
                points.extend([(before, rail), (before, enter), (to.left, enter)]);
            }
            self.picture.path("fail", &points, true);
            let label = (x - 6.0, rail - 5.0);
            self.picture.text("fail s", "end", label, &verbs);
        }
    }
}

/// Where wires meet the left side of a box: each gets a place of its own.
#[derive(Default)]
struct Ports {
    used: BTreeMap<S, u32>,
}

impl Ports {
    fn next(&mut self, state: S) -> f64 {
        let used = self.used.entry(state).or_default();
        *used += 1;
        PORT_PITCH.mul_add(f64::from(*used - 1), PORT_TOP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_transition_is_drawn_as_an_arrow_or_stands_in_its_box() {
        let sheet = Sheet::new().unwrap();
        let all = transitions().count();
        let arrows: usize = sheet.ways.values().map(Vec::len).sum();
        assert_eq!(all, arrows);
        let noted = sheet.ways.get(&Route::Note).map_or(0, Vec::len);
        let written: usize = S::ALL
            .iter()
            .flat_map(|&state| notes(state))
            .map(|note| note.split(" → ").next().unwrap().split(", ").count())
            .sum();
        assert_eq!(noted, written);
        let text = draw().unwrap();
        for state in S::ALL {
            assert!(text.contains(&format!(">{state}</text>")), "{state}");
        }
    }
}
