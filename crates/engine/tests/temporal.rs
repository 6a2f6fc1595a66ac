//! The kernel inside one generic Temporal workflow, against a real server.
