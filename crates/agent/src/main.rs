//! `corten-agent`.

fn main() {}
