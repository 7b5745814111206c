//! The methods that the server has. Spans and metrics call a method by its name from here: a path that a caller made up
//! stands in none of them.

use std::{collections::HashMap, sync::LazyLock};

use prost::Message;
use prost_types::FileDescriptorSet;

/// A method of a service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Method {
    /// The service and the method, such as `parlor.v1.TableService/CreateTable`.
    pub name: &'static str,
    /// Whether either side sends a stream, so that a call may last as long as it likes.
    pub streams: bool,
}

/// Methods by the path of their requests, which is the name after a slash.
static KNOWN: LazyLock<HashMap<String, Method>> = LazyLock::new(|| {
    let sets = [
        parlor_proto::FILE_DESCRIPTOR_SET,
        tonic_health::pb::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
    ];
    let mut known = HashMap::new();
    for set in sets {
        let set = FileDescriptorSet::decode(set).expect("compiled from .proto files");
        for file in &set.file {
            for service in &file.service {
                for method in &service.method {
                    let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                    // Once a method, for the life of the process: there are a few dozen.
                    let name: &'static str = path[1..].to_owned().leak();
                    let streams = method.client_streaming() || method.server_streaming();
                    known.insert(path, Method { name, streams });
                }
            }
        }
    }
    known
});

impl Method {
    /// Whatever the server does not have.
    pub const UNKNOWN: Method = Method { name: "unknown", streams: false };

    /// The method of a request's path.
    #[must_use]
    pub fn of_path(path: &str) -> Method {
        KNOWN.get(path).copied().unwrap_or(Method::UNKNOWN)
    }

    /// The service of the method, such as `parlor.v1.TableService`.
    #[must_use]
    pub fn service(&self) -> &'static str {
        self.name.split_once('/').map_or(self.name, |(service, _)| service)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_known_by_their_paths() {
        let method = Method::of_path("/parlor.v1.PlayService/Play");
        assert_eq!(method, Method { name: "parlor.v1.PlayService/Play", streams: true });
        assert_eq!(method.service(), "parlor.v1.PlayService");
        assert!(!Method::of_path("/parlor.v1.TableService/CreateTable").streams);
        assert!(Method::of_path("/parlor.v1.TableService/FollowTables").streams);
        assert_eq!(Method::of_path("/grpc.health.v1.Health/Check").name, "grpc.health.v1.Health/Check");
        for reflection in ["v1", "v1alpha"] {
            let path = format!("/grpc.reflection.{reflection}.ServerReflection/ServerReflectionInfo");
            assert!(Method::of_path(&path).streams, "{path}");
        }
    }

    #[test]
    fn what_callers_make_up_has_no_name() {
        for path in ["", "/", "/parlor.v1.TableService", "/parlor.v1.TableService/Createtable", "//a/b"] {
            assert_eq!(Method::of_path(path), Method::UNKNOWN, "{path}");
        }
    }
}
