//! Comparing each of a thousand names with each other trips a lint that is an error by default.
//!
//! So duplicates in a registry are found by hashing; see `pass/names_hashed.rs`.

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

const NAMES: [[u8; 24]; 1000] = {
    let mut names = [*b"read_one_of_many_no_0000"; 1000];
    let mut name = 0;
    while name < 1000 {
        names[name][22] = (name % 256) as u8;
        names[name][23] = (name / 256) as u8;
        name += 1;
    }
    names
};

const _: () = {
    let mut one = 0;
    while one < NAMES.len() {
        let mut other = one + 1;
        while other < NAMES.len() {
            assert!(!is_same(&NAMES[one], &NAMES[other]));
            other += 1;
        }
        one += 1;
    }
};

fn main() {}
