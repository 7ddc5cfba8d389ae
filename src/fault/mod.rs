//! Fault rules: match a frame and change it (DESIGN section 7).
