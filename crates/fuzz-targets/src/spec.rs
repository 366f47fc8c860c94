use pronghorn_path::{Direction, PathSpec};

use crate::drive::drive;

/// A path's specification as JSON, as the engine gets it.
pub fn spec(bytes: &[u8]) {
    let Ok(path) = serde_json::from_slice::<PathSpec>(bytes) else {
        return;
    };
    let written = serde_json::to_string(&path).expect("what was read can be written");
    let again: PathSpec = serde_json::from_str(&written).expect("what was written can be read");
    assert_eq!(again, path, "written as {written}");
    if let Err(error) = path.validate() {
        assert!(!error.key().is_empty());
        assert!(!error.to_string().is_empty());
    }
    for direction in [Direction::Down, Direction::Up] {
        drive(path.link(direction));
    }
}
