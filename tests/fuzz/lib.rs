//! The checks, compiled once for all fuzz targets.

pub mod checks;
