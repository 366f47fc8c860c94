//! Packets made by hand, and what is told of them.

mod made;
mod odd_connections;
mod single_loss;
