//! The JSON Schema of the gateway's file is the one that the parser's declarations yield, and a valid
//! schema of draft-07. Editors get it from the repository.

use expect_test::expect_file;
use pd_gateway::GatewayConfig;

#[test]
fn the_schema_of_the_repository_is_that_of_the_program() {
    let schema = GatewayConfig::json_schema();
    expect_file!["../../../pd-runtime/gateway/schemas/servers.schema.json"]
        .assert_eq(&format!("{schema:#}\n"));
}

#[test]
fn the_schema_is_valid_in_draft_07() {
    let schema = GatewayConfig::json_schema();
    jsonschema::draft7::meta::validate(&schema).unwrap();
    jsonschema::draft7::new(&schema).unwrap();
}
