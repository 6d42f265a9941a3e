//! Hashing a thousand names in a constant trips no lint.
//!
//! Duplicates in a registry are found so; see `fail/names_compared.rs`.

const fn hash(name: &[u8]) -> usize {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut at = 0;
    while at < name.len() {
        hash = (hash ^ name[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash as usize
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

/// How many slots are taken after all names were put in, with open addressing.
const TAKEN: usize = {
    let mut slots = [usize::MAX; 4096];
    let mut name = 0;
    while name < NAMES.len() {
        let mut slot = hash(&NAMES[name]) % slots.len();
        while slots[slot] != usize::MAX {
            slot = (slot + 1) % slots.len();
        }
        slots[slot] = name;
        name += 1;
    }
    name
};

fn main() {
    assert_eq!(TAKEN, 1000);
}
