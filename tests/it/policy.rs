//! Who may do what, asked of the whole service.

mod isolation;
mod matrix;
