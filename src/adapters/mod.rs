//! The outside world, one folder per technology. Nothing here decides anything.
