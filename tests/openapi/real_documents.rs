//! Real documents: those of Box, Okta and GitHub.

use pd_runtime::{Registry, openapi::OpenApi, provider};
use serde_json::Value;
use std::{fs, path::Path};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/openapi");

/// The documents with their operations, each with the server that it names.
const DOCUMENTS: [(&str, usize); 3] = [
    ("box.json", 296),
    ("okta.yaml", 746),
    ("github.json", 1_222),
];

pub(crate) fn text(name: &str) -> String {
    let packed = fs::read(Path::new(DATA).join(format!("{name}.zst"))).unwrap();
    String::from_utf8(zstd::decode_all(&*packed).unwrap()).unwrap()
}

#[test]
fn probe() {
    for (name, _) in DOCUMENTS {
        let text = text(name);
        let started = std::time::Instant::now();
        let api = OpenApi::from_text(&text).unwrap();
        println!(
            "{name}: {} operations, {:?}",
            api.operations().count(),
            started.elapsed()
        );
        for (name, why) in api.left_out() {
            println!("  left out {name}: {why}");
        }
        let mut sizes: Vec<_> = api
            .operations()
            .map(|o| {
                (
                    serde_json::to_string(o.input()).unwrap().len(),
                    o.name().to_owned(),
                )
            })
            .collect();
        sizes.sort();
        sizes.reverse();
        println!(
            "  inputs {:?} sum {}",
            &sizes[..5],
            sizes.iter().map(|s| s.0).sum::<usize>()
        );
        let mut sizes: Vec<_> = api
            .operations()
            .map(|o| {
                (
                    o.output()
                        .map_or(0, |o| serde_json::to_string(o).unwrap().len()),
                    o.name().to_owned(),
                )
            })
            .collect();
        sizes.sort();
        sizes.reverse();
        println!(
            "  outputs {:?} sum {}",
            &sizes[..5],
            sizes.iter().map(|s| s.0).sum::<usize>()
        );
        println!(
            "  examples {}",
            api.operations().filter(|o| o.example().is_some()).count()
        );
        let mut bad = 0;
        for o in api.operations() {
            let fit = pd_schema::provider_fit::provider_fit(o.input());
            if !fit.is_empty() {
                bad += 1;
                if bad < 8 {
                    println!("  misfit {} {:?}", o.name(), fit);
                }
            }
        }
        println!("  misfits {bad}");
        let longest = api
            .operations()
            .max_by_key(|o| o.name().len())
            .unwrap()
            .name()
            .to_owned();
        println!("  longest {longest}");
        for o in api.operations().step_by(97) {
            println!("   {} | {} | {:?}", o.name(), o.summary(), o.tag());
        }
        let started = std::time::Instant::now();
        let registry: Result<Registry<()>, _> = Registry::from_openapi(api);
        match registry {
            Ok(r) => {
                println!(
                    "  registry {:?} {} groups",
                    started.elapsed(),
                    r.groups().len()
                );
                let w = r.lint();
                println!("  lint {}", w.len());
                let mut c = std::collections::BTreeMap::new();
                for x in &w {
                    *c.entry(format!("{:?}", x.lint)).or_insert(0) += 1;
                }
                println!("{c:?}");
            }
            Err(e) => println!("{}", e.to_string().chars().take(3000).collect::<String>()),
        }
    }
    let _ = (provider::name("x"), Value::Null);
}
