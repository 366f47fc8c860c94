use pronghorn_path::{Direction, PathSpec};

use crate::drive::drive;

/// A path's specification as JSON, as the engine gets it.
pub fn spec(bytes: &[u8]) {
    let Ok(path) = serde_json::from_slice::<PathSpec>(bytes) else {
        return;
    };
    let written = serde_json::to_string(&path).expect("what was read can be written");
    serde_json::from_str::<PathSpec>(&written).expect("what was written can be read");
    if let Err(error) = path.validate() {
        assert!(!error.key().is_empty());
        assert!(!error.to_string().is_empty());
    }
    for direction in [Direction::Down, Direction::Up] {
        drive(path.link(direction));
    }
}
