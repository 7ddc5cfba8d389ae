//! Targets: raw frames to and from a stdio child or a streamable HTTP endpoint.
