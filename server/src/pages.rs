//! The pages for browsers, on the same port as gRPC-Web, so that they call the server without CORS.
//!
//! The built pages (`server/web/dist`) are embedded in the binary, compressed. [`PagesLayer`] answers what is not gRPC:
//! one page for all routes, its assets, and errors that a person can read.

mod encoding;
mod files;
mod layer;
mod response;
mod route;

pub use layer::{PagesLayer, PagesService};
