//! Real records, made by the server's own tables, and what becomes of them when one thing in them is changed.

mod doctored;
mod forms;
mod honest;
mod made;
