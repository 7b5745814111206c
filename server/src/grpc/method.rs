//! Known gRPC methods. Spans and metrics use the method names of this table, so that invented paths do not
//! become labels.

use std::{collections::HashMap, sync::LazyLock};

use prost::Message;
use prost_types::FileDescriptorSet;

/// A method of a service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Method {
    /// The service and the method, such as `parlor.v1.TableService/CreateTable`.
    pub name: &'static str,
    /// True if the client or the server streams, so that the length of a call is unlimited.
    pub is_streaming: bool,
}

/// Methods by request path: a slash and the name.
static METHODS: LazyLock<HashMap<String, Method>> = LazyLock::new(|| {
    let sets = [
        parlor_proto::FILE_DESCRIPTOR_SET,
        tonic_health::pb::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
    ];
    let mut methods = HashMap::new();
    for set in sets {
        let set = FileDescriptorSet::decode(set).expect("descriptors compiled from .proto files");
        for file in &set.file {
            for service in &file.service {
                for method in &service.method {
                    let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                    // Leaked once a method (a few dozen) for the life of the process.
                    let name: &'static str = path[1..].to_owned().leak();
                    let is_streaming = method.client_streaming() || method.server_streaming();
                    methods.insert(path, Method { name, is_streaming });
                }
            }
        }
    }
    methods
});

impl Method {
    /// Any method that the server does not implement.
    pub const UNKNOWN: Method = Method { name: "unknown", is_streaming: false };

    /// The method of a request path.
    #[must_use]
    pub fn from_path(path: &str) -> Method {
        METHODS.get(path).copied().unwrap_or(Method::UNKNOWN)
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
    fn methods_are_found_by_path() {
        let method = Method::from_path("/parlor.v1.PlayService/Play");
        assert_eq!(method, Method { name: "parlor.v1.PlayService/Play", is_streaming: true });
        assert_eq!(method.service(), "parlor.v1.PlayService");
        assert!(!Method::from_path("/parlor.v1.TableService/CreateTable").is_streaming);
        assert!(Method::from_path("/parlor.v1.TableService/FollowTables").is_streaming);
        assert_eq!(Method::from_path("/grpc.health.v1.Health/Check").name, "grpc.health.v1.Health/Check");
        for reflection in ["v1", "v1alpha"] {
            let path = format!("/grpc.reflection.{reflection}.ServerReflection/ServerReflectionInfo");
            assert!(Method::from_path(&path).is_streaming, "{path}");
        }
    }

    #[test]
    fn invented_paths_are_unknown_methods() {
        for path in ["", "/", "/parlor.v1.TableService", "/parlor.v1.TableService/Createtable", "//a/b"] {
            assert_eq!(Method::from_path(path), Method::UNKNOWN, "{path}");
        }
    }
}
