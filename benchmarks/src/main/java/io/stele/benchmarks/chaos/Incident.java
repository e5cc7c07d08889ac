package io.stele.benchmarks.chaos;

/** The kinds of incident that a chaos run causes to the sidecar, its disk or its clock. */
enum Incident {
    /** SIGKILL, and a start. */
    KILL("kill"),
    /** SIGTERM, and a start. */
    STOP("stop"),
    /** SIGSTOP, and SIGCONT some seconds later. */
    PAUSE("pause"),
    /** The disk of the log is full; then there is room, and a restart if the log failed by it. */
    DISK("disk"),
    /** The clock of the sidecar jumps by minutes, then as far the other way, and is right again. */
    CLOCK("clock");

    private final String key;

    Incident(String key) {
        this.key = key;
    }

    /** Its name in {@code --without} and the report. */
    String key() {
        return key;
    }
}
