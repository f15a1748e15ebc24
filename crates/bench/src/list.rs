//! How long one caller waits for a list of 110 keys: 10 active and 100 revoked, the default maximum of a list.

use serde_json::Value;
use tokio::time::Instant;

use crate::connection::{Connection, request};
use crate::gatepost::Gatepost;
use crate::store::stores;
use crate::table::{median, milliseconds, print, quantile};

const CALLS: usize = 3_000;

pub(crate) async fn measure() -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for store in &stores().await? {
        let mut gatepost = Gatepost::new()?;
        let _data = store.attach(&mut gatepost).await?;
        gatepost.start().await?;
        let waits = list_often(&gatepost).await?;
        let column = |value: f64| format!("{value:.2} ms");
        rows.push(vec![
            store.name().to_owned(),
            format!("**{}**", column(median(&waits))),
            column(quantile(&waits, 0.99)),
            column(quantile(&waits, 1.0)),
        ]);
    }
    let title = format!("List of 110 keys, one caller, {CALLS} calls (bar: median 2 ms)");
    print(&title, &["database", "median", "99 %", "worst"], &rows);
    Ok(())
}

/// Milliseconds of each call.
async fn list_often(gatepost: &Gatepost) -> anyhow::Result<Vec<f64>> {
    let token = gatepost.run(&["token", "--user", "collector"])?;
    let mut connection = Connection::open(gatepost.address()).await?;
    let create = request("POST", &token, "{\"label\":\"one of 110\"}");
    for number in 0..110 {
        let id = serde_json::from_slice::<Value>(connection.succeed(&create).await?)?["keyId"].to_string();
        if number < 100 {
            connection.succeed(&request("DELETE", &token, &format!("{{\"keyId\":{id}}}"))).await?;
        }
    }
    let list = request("GET", &token, "");
    let keys: Value = serde_json::from_slice(connection.succeed(&list).await?)?;
    anyhow::ensure!(keys["keys"].as_array().map(Vec::len) == Some(110), "the list has not 110 keys");
    let mut waits = Vec::new();
    for _ in 0..CALLS {
        let start = Instant::now();
        connection.succeed(&list).await?;
        waits.push(milliseconds(start.elapsed()));
    }
    Ok(waits)
}
