//! The files of the pages, embedded by the build script.

use super::encoding::Encoding;

/// An embedded file in all its encodings.
#[derive(Debug)]
pub(super) struct PageFile {
    /// Path in the folder of the built pages, such as `assets/page-1a2b3c4d.css`.
    pub(super) path: &'static str,
    /// The `Content-Type`.
    pub(super) content_type: &'static str,
    /// Start of the SHA-256 of the content, in hexadecimal.
    pub(super) version: &'static str,
    identity: &'static [u8],
    /// `None` if compression does not make it smaller.
    brotli: Option<&'static [u8]>,
    gzip: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

impl PageFile {
    /// The file with this path.
    pub(super) fn find(path: &str) -> Option<&'static PageFile> {
        FILES.binary_search_by(|file| file.path.cmp(path)).ok().map(|index| &FILES[index])
    }

    /// The page of all routes.
    pub(super) fn index() -> &'static PageFile {
        PageFile::find("index.html").expect("the build script requires index.html")
    }

    /// Reports whether the name of the file changes with its content, so that browsers may keep it for ever.
    pub(super) fn is_asset(&self) -> bool {
        self.path.starts_with("assets/")
    }

    /// The smallest form of the content among the accepted encodings. The identity is always acceptable: a client that
    /// refuses it is better off with something than with an error.
    pub(super) fn encoded(&self, accepts: impl Fn(Encoding) -> bool) -> (Encoding, &'static [u8]) {
        let compressed = [(Encoding::Brotli, self.brotli), (Encoding::Gzip, self.gzip)];
        compressed
            .into_iter()
            .filter_map(|(encoding, content)| Some((encoding, content?)))
            .filter(|(encoding, _)| accepts(*encoding))
            .min_by_key(|(_, content)| content.len())
            .unwrap_or((Encoding::Identity, self.identity))
    }

    /// Entity tag of the content in an encoding.
    pub(super) fn entity_tag(&self, encoding: Encoding) -> String {
        match encoding.name() {
            None => format!("\"{}\"", self.version),
            Some(name) => format!("\"{}-{name}\"", self.version),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn embedded_files_are_sorted_and_found_by_path() {
        assert!(FILES.is_sorted_by(|one, next| one.path < next.path));
        for file in FILES {
            assert!(std::ptr::eq(PageFile::find(file.path).unwrap(), file));
        }
        for missing in ["", "/", "index.htm", "assets", "assets/", "/index.html", "../Cargo.toml"] {
            assert!(PageFile::find(missing).is_none(), "{missing}");
        }
        assert!(PageFile::index().content_type.starts_with("text/html"));
        assert!(FILES.iter().any(PageFile::is_asset));
    }

    #[test]
    fn compressed_forms_decode_to_the_file_and_are_smaller() {
        let mut compressed = 0;
        for file in FILES {
            let identity = file.encoded(|_| false);
            assert_eq!(identity, (Encoding::Identity, file.identity), "{}", file.path);
            for accepted in [Encoding::Brotli, Encoding::Gzip] {
                let (encoding, content) = file.encoded(|encoding| encoding == accepted);
                let mut decoded = Vec::new();
                match encoding {
                    Encoding::Brotli => {
                        brotli::Decompressor::new(content, 4096).read_to_end(&mut decoded).unwrap();
                    }
                    Encoding::Gzip => {
                        flate2::read::GzDecoder::new(content).read_to_end(&mut decoded).unwrap();
                    }
                    Encoding::Identity => continue,
                }
                assert_eq!(decoded, file.identity, "{}", file.path);
                assert!(content.len() < file.identity.len(), "{}", file.path);
                assert_ne!(file.entity_tag(encoding), file.entity_tag(Encoding::Identity));
                compressed += 1;
            }
            let best = file.encoded(|_| true);
            assert!(best.1.len() <= identity.1.len());
        }
        assert!(compressed >= 2, "the page itself is compressed");
    }
}
