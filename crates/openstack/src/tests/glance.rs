//! Downloads that go well, and those that do not.

use crate::{
    Caller, Error, Reason,
    glance::Image,
    testing::{Cloud, Received, Reply, by_the_cloud, soon},
};
use bytes::Bytes;
use serde_json::{Value, json};
use types::hex;

const DATA: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";

fn image(changes: &Value) -> Image {
    let sha512 = ring::digest::digest(&ring::digest::SHA512, DATA);
    let mut document = json!({
        "id": "i", "status": "active", "visibility": "public", "size": DATA.len(),
        "os_hash_algo": "sha512", "os_hash_value": hex::encode(sha512.as_ref()),
        "checksum": "wrong, and not looked at",
    });
    for (name, value) in changes.as_object().into_iter().flatten() {
        document[name] = value.clone();
    }
    Image::read(document.to_string().as_bytes()).unwrap()
}

fn data(bytes: &'static [u8]) -> Reply {
    Reply::Answer {
        status: 200,
        headers: Vec::new(),
        body: Bytes::from_static(bytes),
    }
}

fn rest(from: usize) -> Reply {
    let Reply::Answer { body, headers, .. } = data(&DATA[from..]) else {
        unreachable!()
    };
    let range = format!("bytes {from}-{}/{}", DATA.len() - 1, DATA.len());
    Reply::Answer {
        status: 206,
        headers,
        body,
    }
    .with("content-range", range)
}

async fn download(image: &Image, replies: &[Reply]) -> (Result<Vec<u8>, Error>, Cloud) {
    let replies = replies.to_vec();
    let cloud = Cloud::start(move |request: &Received| match request.path.as_str() {
        "/v3/auth/tokens" => by_the_cloud(),
        _ => replies[request.earlier.min(replies.len() - 1)].clone(),
    })
    .await;
    let glance = cloud.services().glance().clone();
    let whole = async {
        let mut download = glance.download(image, &Caller::service(), soon()).await?;
        let mut bytes = Vec::new();
        while let Some(piece) = download.chunk().await? {
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    };
    (whole.await, cloud)
}

#[tokio::test]
async fn contents_are_checked() {
    let (whole, cloud) = download(&image(&json!({})), &[data(DATA)]).await;
    assert_eq!(whole.unwrap(), DATA);
    assert_eq!(cloud.lines(), ["GET /image/v2/images/i/file"]);
    for (changes, reply) in [
        (json!({"os_hash_value": "00"}), data(DATA)),
        (json!({"size": 5}), data(DATA)),
        (
            json!({"os_hash_algo": "blake7", "checksum": "00"}),
            data(DATA),
        ),
        (json!({}), Reply::status(204)),
    ] {
        let (whole, _) = download(&image(&changes), &[reply]).await;
        let error = whole.unwrap_err();
        assert!(matches!(error.reason, Reason::Corrupt(_)), "{error:?}");
    }
    // The MD5 sum counts where the other is unknown.
    let md5 = image(&json!({"os_hash_algo": null, "checksum": "e9b1713db620f1e3a14b6812de523f4b"}));
    let (whole, _) = download(&md5, &[data(DATA)]).await;
    assert_eq!(whole.unwrap(), DATA);
    // A page that explains an error is no image.
    let (whole, _) = download(&image(&json!({})), &[Reply::text(404, "", "gone")]).await;
    assert!(whole.unwrap_err().is_not_found());
}

#[tokio::test]
async fn a_broken_download_is_continued() {
    let cut = Reply::CutOff {
        announced: DATA.len(),
        body: Bytes::from_static(&DATA[..10]),
    };
    let (whole, cloud) = download(&image(&json!({})), &[cut.clone(), rest(10)]).await;
    assert_eq!(whole.unwrap(), DATA);
    assert_eq!(cloud.last().header("range"), Some("bytes=10-"));
    // A server that begins anew, or elsewhere, cannot continue.
    for wrong in [data(DATA), rest(11)] {
        let (whole, _) = download(&image(&json!({})), &[cut.clone(), wrong]).await;
        assert!(whole.unwrap_err().is_temporary());
    }
    // It is not tried for ever.
    let (whole, cloud) = download(
        &image(&json!({})),
        &[
            cut,
            Reply::CutOff {
                announced: 5,
                body: Bytes::new(),
            },
        ],
    )
    .await;
    assert!(whole.is_err());
    assert!(cloud.lines().len() <= 4);
}
