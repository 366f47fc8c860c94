//! Why nothing is recorded.

use std::error::Error;

/// Why nothing can be recorded.
pub(crate) type Refusal = Box<dyn Error + Send + Sync>;
