package io.stele.benchmarks.servers;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A reader of the counters since its start that the sidecar publishes at {@code /metrics}. Confined
 * to one thread.
 */
public final class SidecarCounters implements AutoCloseable {
    private final SidecarPage page;

    public SidecarCounters(Run run) {
        page = new SidecarPage(run, "/metrics");
    }

    /** Flight actions called. */
    public long actions() throws IOException, InterruptedException {
        return value("stele_access_actions_total");
    }

    /** Scans and lookups streamed. */
    public long streams() throws IOException, InterruptedException {
        return value("stele_read_scans_total");
    }

    private long value(String name) throws IOException, InterruptedException {
        Pattern line = Pattern.compile(Pattern.quote(name) + " (\\S+)");
        return page.read()
                .lines()
                .map(line::matcher)
                .filter(Matcher::matches)
                .findFirst()
                .map(found -> (long) Double.parseDouble(found.group(1)))
                .orElseThrow(
                        () ->
                                new IOException(
                                        "Expected the metric %s at %s, found none"
                                                .formatted(name, page)));
    }

    @Override
    public void close() {
        page.close();
    }
}
