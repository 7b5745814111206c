//! Paths of the pages.

use super::files::PageFile;

/// The target of a path.
#[derive(Clone, Copy, Debug)]
pub(super) enum Route {
    /// A file, or the page that shows every view.
    File(&'static PageFile),
    /// The rules for crawlers.
    Robots,
    /// Nothing.
    Missing,
}

/// Views of the page with one path segment, and those with an id after it.
const VIEWS: [&str; 3] = ["agents", "join", "tournaments"];
const VIEWS_OF_AN_ID: [&str; 5] = ["replay", "rules", "t", "tournaments", "watch"];

impl Route {
    /// The route of a request path. Whether an id exists is for the page to find out.
    pub(super) fn from_path(path: &str) -> Route {
        let Some(path) = path.strip_prefix('/') else { return Route::Missing };
        let is_view = match path.split_once('/') {
            None => path.is_empty() || VIEWS.contains(&path),
            Some((view, id)) => VIEWS_OF_AN_ID.contains(&view) && !id.is_empty() && !id.contains('/'),
        };
        if is_view {
            return Route::File(PageFile::index());
        }
        match PageFile::find(path) {
            // The page has one address.
            Some(file) if file.path == "index.html" => Route::Missing,
            Some(file) => Route::File(file),
            None if path == "robots.txt" => Route::Robots,
            None => Route::Missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_is_the_one_page() {
        let shown = |path: &str| match Route::from_path(path) {
            Route::File(file) => file.path,
            Route::Robots => "robots",
            Route::Missing => "missing",
        };
        let table = "01m7jpjh457gb3wsktabxkrwzg";
        for view in ["/t/", "/watch/", "/replay/", "/tournaments/", "/rules/"] {
            assert_eq!(shown(&format!("{view}{table}")), "index.html", "{view}");
            assert_eq!(shown(view), "missing", "{view} without an id");
            assert_eq!(shown(&format!("{view}{table}/more")), "missing", "{view}");
        }
        for page in ["/", "/tournaments", "/agents", "/join"] {
            assert_eq!(shown(page), "index.html", "{page}");
        }
        for missing in [
            "",
            "//",
            "/t",
            "/index.html",
            "/T/x",
            "/agents/x",
            "/assets/",
            "/assets/../index.html",
            "/%74/x",
        ] {
            assert_eq!(shown(missing), "missing", "{missing}");
        }
        assert_eq!(shown("/robots.txt"), "robots");
    }
}
