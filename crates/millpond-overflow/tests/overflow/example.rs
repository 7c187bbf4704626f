//! What the example prints.

#[allow(dead_code, reason = "its `main`")]
#[path = "../../examples/levels.rs"]
mod levels;

#[test]
fn each_level_has_pools_of_its_own() {
    let cellar = r#"cellar: holes [4, 5]; ["bell", "shot"]; 0 refused"#;
    assert_eq!(levels::play("cellar").unwrap(), cellar);
    let harbour =
        r#"harbour: holes [1, 2, 3, 4, 5], which may spill; ["rain", "shot", "wind"]; 1 refused"#;
    assert_eq!(levels::play("harbour").unwrap(), harbour);
    let missing = levels::play("attic").unwrap_err().to_string();
    assert_eq!(missing, "scenario \"attic\": is missing, expected one of cellar, harbour");
}
