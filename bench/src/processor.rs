//! On what a run was made.

/// The processor's name and its caches, as far as the system tells.
pub(crate) fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name))?;
        line.split_once(':').map(|(_, value)| value.trim().to_owned())
    };
    let name = field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let model = field("cpu family").zip(field("model\t"));
    let model = model.map(|(family, model)| format!(" (family {family}, model {model})"));
    let caches: Vec<String> = (0..4).filter_map(cache).collect();
    format!("{name}{}, {}", model.unwrap_or_default(), caches.join(", "))
}

fn cache(index: usize) -> Option<String> {
    let read = |file: &str| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}");
        std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
    };
    let (level, kind, size) = (read("level")?, read("type")?, read("size")?);
    (kind != "Instruction").then(|| format!("L{level} {size}"))
}
