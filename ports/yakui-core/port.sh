# User interfaces of games: thunderdome's arena for widgets and textures, and another one filled by the widgets' indices.
CRATE=yakui-core
VERSION=0.3.0
WHAT='user interfaces of games'
REPLACES="thunderdome's \`Arena\`"

rows() {
    measure 'a frame of 2,000 widgets' 400 frame
    measure 'a frame in which 1,000 of them go or come' 400 churn
}
