//! A tool that takes rows of another tool and is selective itself: a link in a chain, consumer and producer at once.

use crate::harness::{
    client::{Era, connect},
    code,
    line::Line,
    post::Post,
    text, told,
};
use pd_runtime::{
    GateMode, Listing, Registry, Selected, ServerBuilder,
    client::{Client, ListChangedHandler},
    prelude::*,
    selective::FetchPolicy,
    serve::{Http, HttpOptions},
};
use rmcp::ServiceExt;
use serde_json::{Value, json};

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Quake {
    /// Where it was
    place: String,
    magnitude: f64,
    depth: f64,
}

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Ranked {
    place: String,
    /// From 1, the strongest
    rank: u32,
    depth: f64,
}

#[pd_tool(summary = "List earthquakes", selective, read_only)]
fn quakes() -> Json<Vec<Quake>> {
    let quake = |place: &str, magnitude: f64, depth: f64| Quake {
        place: place.to_owned(),
        magnitude,
        depth,
    };
    Json(vec![
        quake("Oslo", 4.5, 10.0),
        quake("Rome", 3.0, 20.0),
        quake("Lima", 6.0, 30.0),
    ])
}

/// The strongest first.
///
/// # Examples
///
/// ```json
/// {
///   "abstract_data": "[{\"_row_id\": 2, \"place\": \"Lima\"}]",
///   "body_data": "[{\"_row_id\": 2, \"magnitude\": 6.0, \"depth\": 30.0}]",
///   "abstract_domains": "place,rank"
/// }
/// ```
#[pd_tool(summary = "Rank earthquakes by magnitude", selective, read_only)]
async fn rank(quakes: Selected<Quake>, call: &CallContext) -> Result<Json<Vec<Ranked>>, ToolError> {
    let mut quakes = quakes.rows(call).await?;
    quakes.sort_by(|one, other| other.magnitude.total_cmp(&one.magnitude));
    let ranked = |(rank, Quake { place, depth, .. })| Ranked { place, rank, depth };
    Ok(Json((1..).zip(quakes).map(ranked).collect()))
}

#[pd_tool(summary = "Draw ranked earthquakes", read_only)]
async fn draw(ranked: Selected<Ranked>, call: &CallContext) -> Result<String, ToolError> {
    let line = |Ranked { place, rank, depth }: Ranked| format!("{rank} {place} {depth}");
    Ok(ranked
        .rows(call)
        .await?
        .into_iter()
        .map(line)
        .collect::<Vec<_>>()
        .join(", "))
}

fn server() -> ServerBuilder<()> {
    let registry: Registry<()> = pd_runtime::registry! { quakes, rank, draw };
    registry.check().unwrap();
    PdServer::builder(registry, ()).gate(GateMode::Off)
}

/// A server over HTTP that fetches from itself.
async fn serve() -> String {
    let http = Http::bind("127.0.0.1:0").await.unwrap();
    let url = http.url();
    let origin = url.strip_suffix("/mcp").unwrap();
    let shared = server()
        .fetch(FetchPolicy::new().allow_private(origin).unwrap())
        .build()
        .unwrap();
    tokio::spawn(async move { http.serve(&shared, HttpOptions::default()).await.unwrap() });
    url
}

/// Rows of an `abstract`, as the next tool takes them.
fn chosen(shown: &Value, numbers: &[usize]) -> String {
    let rows: Vec<_> = numbers
        .iter()
        .map(|number| shown["abstract"][*number].clone())
        .collect();
    json!(rows).to_string()
}

#[tokio::test]
async fn it_takes_the_arguments_of_both_sides() {
    let mut line = Line::session(&server().listing(Listing::Full).build().unwrap()).await;
    let listed = line.result("tools/list", json!({})).await;
    let schema = &listed["tools"][1]["inputSchema"];
    let names: Vec<_> = schema["properties"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let both = [
        "abstract_data",
        "resource_url",
        "body_data",
        "column_mapping",
        "abstract_domains",
        "mode",
    ];
    assert_eq!(
        (names.as_slice(), &schema["required"]),
        (&both[..], &json!(["abstract_data"]))
    );
    let about = |argument: &str| {
        schema["properties"][argument]["description"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let [theirs, ours] = [about("column_mapping"), about("abstract_domains")];
    assert!(
        theirs.contains("\n- magnitude") && !theirs.contains("rank"),
        "columns that it takes: {theirs}"
    );
    assert!(
        ours.contains("\n- rank: From 1") && !ours.contains("magnitude"),
        "columns that it gives: {ours}"
    );
    assert_eq!(listed["tools"][1].get("outputSchema"), None);
}

/// Its rows are numbered anew, and wait behind a URL of their own.
#[tokio::test]
async fn a_chain_hands_rows_on_from_link_to_link() {
    let url = serve().await;
    for client in [Post::inline(&url), Post::session(&url, None).await] {
        let first = told(
            &client
                .call("quakes", json!({ "abstract_domains": "place" }))
                .await,
        );
        let asked = json!({
            "abstract_data": chosen(&first, &[2, 1]),
            "resource_url": first["resource_url"],
            "abstract_domains": "place,rank",
        });
        let second = told(&client.call("rank", asked.clone()).await);
        let expected = json!([
            { "_row_id": 0, "place": "Lima", "rank": 1 },
            { "_row_id": 1, "place": "Rome", "rank": 2 },
        ]);
        assert_eq!(
            (&second["abstract"], &second["body_domains"]),
            (&expected, &json!(["depth"])),
            "{second}"
        );
        assert_ne!(first["resource_url"], second["resource_url"]);
        let asked_again = client.call("rank", asked).await;
        assert_eq!(
            code(&asked_again),
            "RESOURCE_GONE",
            "the first URL is used up"
        );
        let drawn = json!({ "abstract_data": chosen(&second, &[1]), "resource_url": second["resource_url"] });
        assert_eq!(text(&client.call("draw", drawn).await), "2 Rome 20");
    }
}

/// A choice that does not fit is refused before anything is fetched: the URL is still good.
#[tokio::test]
async fn a_wrong_choice_costs_no_rows() {
    let url = serve().await;
    let client = Post::inline(&url);
    let first = told(
        &client
            .call("quakes", json!({ "abstract_domains": "place" }))
            .await,
    );
    let mut asked = json!({
        "abstract_data": chosen(&first, &[0]),
        "resource_url": first["resource_url"],
        "abstract_domains": "magnitude",
    });
    let refused = client.call("rank", asked.clone()).await;
    assert_eq!(code(&refused), "INVALID_ARGUMENTS");
    assert!(
        refused
            .to_string()
            .contains("which have place, rank, depth"),
        "{refused}"
    );
    asked["abstract_domains"] = json!("rank");
    assert_eq!(
        told(&client.call("rank", asked).await)["abstract"],
        json!([{ "_row_id": 0, "rank": 1 }])
    );
}

/// In `sync` both sides are in the arguments and in the result, in every era.
#[tokio::test]
async fn a_body_goes_in_and_another_comes_out() {
    for era in Era::ALL {
        let client = connect(era, &server().build().unwrap()).await;
        let sync = json!({ "abstract_domains": "place", "mode": "sync" });
        let first = told(&client.call("quakes", sync).await);
        let renamed = first["body"].to_string().replace("magnitude", "strength");
        let asked = json!({
            "abstract_data": chosen(&first, &[0, 2]),
            "body_data": renamed,
            "column_mapping": r#"{ "strength": "magnitude" }"#,
            "abstract_domains": "rank",
            "mode": "sync",
        });
        let second = told(&client.call("rank", asked.clone()).await);
        assert_eq!(
            second["abstract"],
            json!([{ "_row_id": 0, "rank": 1 }, { "_row_id": 1, "rank": 2 }]),
            "{era:?}"
        );
        assert_eq!(
            second["body"][0],
            json!({ "_row_id": 0, "place": "Lima", "depth": 30.0 }),
            "{era:?}"
        );
        let drawn = json!({ "abstract_data": chosen(&second, &[0]), "body_data": second["body"].to_string() });
        assert_eq!(
            text(&client.call("draw", drawn).await),
            "1 Lima 30",
            "{era:?}"
        );
        let mut plain = asked;
        plain
            .as_object_mut()
            .unwrap()
            .retain(|argument, _| !["abstract_domains", "mode"].contains(&argument.as_str()));
        let whole = told(&client.call("rank", plain).await);
        assert_eq!(
            whole[0],
            json!({ "place": "Lima", "rank": 1, "depth": 30.0 }),
            "without a choice: all rows in full"
        );
    }
}

/// An agent's dispatcher takes each body out and hands it on: the model sees neither.
#[tokio::test]
async fn an_agent_hands_both_bodies_past_its_model() {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let handler = server().build().unwrap().handler();
    tokio::spawn(async move { handler.serve(theirs).await.unwrap().waiting().await });
    let running = ListChangedHandler::new().serve(ours).await.unwrap();
    let tools = Client::new(&running).await.unwrap();
    let call = async |name: &str, arguments: Value| {
        let result = tools.call(name, arguments).await.unwrap();
        result.content[0].as_text().unwrap().text.clone()
    };
    let first = call(
        "quakes",
        json!({ "abstract_domains": "place", "mode": "sync" }),
    )
    .await;
    assert!(
        first.contains("ddi://") && !first.contains("magnitude\":"),
        "{first}"
    );
    let first: Value = serde_json::from_str(&first).unwrap();
    let asked = json!({
        "abstract_data": chosen(&first, &[0, 1, 2]),
        "resource_url": first["resource_url"],
        "abstract_domains": "rank",
        "mode": "sync",
    });
    let second = call("rank", asked).await;
    assert!(
        second.contains("ddi://") && !second.contains("Lima"),
        "{second}"
    );
    let second: Value = serde_json::from_str(&second).unwrap();
    let drawn =
        json!({ "abstract_data": chosen(&second, &[0]), "resource_url": second["resource_url"] });
    assert_eq!(call("draw", drawn).await, "1 Lima 30");
}
