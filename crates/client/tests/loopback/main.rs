//! Page loads from the built-in origin over loopback: what is loaded, over which protocol, and how
//! failures are told.

mod answers;
mod contents;
mod corpus;
mod early;
mod failures;
mod faulty;
mod fixture;
mod pages;
mod recorded;
mod recordings;
mod relay;
mod replay;
mod scripted;
mod sessions;
mod settings;
mod stacks;
