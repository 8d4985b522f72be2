//! What is refused before the service is asked anything; the rest is in `tests/it/apply.rs`.

use crate::tests::ran;

/// Complaints about a file of this name.
fn refused(name: &str, contents: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, contents).unwrap();
    let (ran, asked) = ran(&format!("apply --plan {}", file.display()), []);
    assert_eq!((ran.code, asked.len()), (1, 0), "{}", ran.notes);
    ran.notes
}

#[test]
fn a_file_that_is_wrong_is_refused_by_file_line_and_resource() {
    for (name, contents, expected) in [
        ("a.toml", "", "ends in .yaml, .yml or .json"),
        ("a.yaml", "nodes:\n- name: a\n  x: [1\n", "a.yaml: line "),
        (
            "a.json",
            "{\n\"nodes\": s3cret}",
            "a.json: line 2: it is no JSON",
        ),
        (
            "a.yaml",
            "noodes: []",
            "a.yaml: there is no 'noodes'; there are set, deploy_templates",
        ),
        ("a.yaml", "nodes: 7", "a.yaml: nodes: it is no list"),
        (
            "a.yaml",
            "nodes:\n- {name: a, driver: x}\n- {name: b, drivr: s3cret}",
            "a.yaml: nodes, item 2: a node has no field 'drivr'; it has uuid, name",
        ),
        (
            "a.yaml",
            "nodes:\n- {name: 7, driver: s3cret}",
            "nodes, item 1: name must be a text: put numbers in quotes",
        ),
        (
            "a.yaml",
            "nodes:\n- {name: a, automated_clean: s3cret}",
            "automated_clean must be true or false",
        ),
        (
            "a.yaml",
            "nodes:\n- {driver: x}",
            "nothing to recognise it by; give it one of uuid, name",
        ),
        (
            "a.yaml",
            "ports:\n- {address: 'A'}",
            "(port a): it belongs to no node",
        ),
        (
            "a.yaml",
            "nodes:\n- {name: a, ports: [{address: b, node_uuid: c}]}",
            "nodes, item 1, ports, item 1: node_uuid follows from where it stands",
        ),
        (
            "a.yaml",
            "nodes:\n- {name: a}\n- {name: a}",
            "nodes, item 2 (node a): ",
        ),
        (
            "a.yaml",
            "nodes:\n- {name: a, extra: {corten_set: x}}",
            "extra.corten_set is written by `corten apply` itself",
        ),
        ("a.yaml", "set: 'a b'", "a.yaml: set is a name of up to 64"),
    ] {
        let notes = refused(name, contents);
        assert!(notes.contains(expected), "{contents}: {notes}");
        assert!(!notes.contains("s3cret"), "{notes}");
    }
}
