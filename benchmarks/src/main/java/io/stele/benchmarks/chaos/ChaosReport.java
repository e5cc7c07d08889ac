package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The totals of a chaos run, in the form that {@code bin/stele chaos --json FILE} writes.
 *
 * @param minutes of load and disturbances
 * @param secondsUntilReady from the start of the runner until every client was ready
 * @param without keys of what was left out
 * @param episodes by weather, and by incident or {@value #NO_INCIDENT}
 * @param clients the totals of each, in the order of the documentation
 * @param events other counts by name
 * @param faults of the store by name
 * @param failures of statements by client and code
 * @param violationCounts by client, or by part of the run
 * @param violations in the order found
 */
record ChaosReport(
        long seed,
        double minutes,
        double secondsUntilReady,
        List<String> without,
        Map<String, Map<String, Long>> episodes,
        List<ClientTally.Totals> clients,
        Map<String, Long> events,
        Map<String, Long> faults,
        Map<String, Long> failures,
        Map<String, Long> violationCounts,
        List<String> violations) {
    /** Begins the name of a count of episodes, which goes on with weather and incident. */
    static final String EPISODES = "episode ";

    static final String NO_INCIDENT = "none";

    private static final List<String> EVENTS =
            List.of(
                    "starts",
                    "starts that failed in bad weather",
                    "crashes",
                    "failed logs",
                    "full disks outlived",
                    "late requests",
                    "requests",
                    "outcomes asked for",
                    "transactions committed after several leases",
                    "transactions lost with their lease or sidecar");

    ChaosReport {
        without = List.copyOf(without);
        clients = List.copyOf(clients);
        violations = List.copyOf(violations);
        requireNonNull(episodes, "episodes is null");
        requireNonNull(events, "events is null");
        requireNonNull(faults, "faults is null");
        requireNonNull(failures, "failures is null");
        requireNonNull(violationCounts, "violationCounts is null");
    }

    static ChaosReport of(
            ChaosOptions options,
            double secondsUntilReady,
            List<ClientTally> tallies,
            Findings findings) {
        Map<String, Map<String, Long>> episodes = new TreeMap<>();
        findings.counts(EPISODES)
                .forEach(
                        (names, count) -> {
                            String[] words = names.split(" ", 2);
                            episodes.computeIfAbsent(words[0], ignored -> new TreeMap<>())
                                    .put(words[1], count);
                        });
        Map<String, Long> events = new TreeMap<>();
        EVENTS.forEach(event -> events.put(event, findings.counted(event)));
        return new ChaosReport(
                options.seed(),
                options.duration().toMillis() / 60_000.0,
                secondsUntilReady,
                options.without().stream().sorted().toList(),
                episodes,
                tallies.stream().map(ClientTally::totals).toList(),
                events,
                findings.counts("fault "),
                findings.counts("failures of "),
                findings.counts("violations of "),
                findings.violations());
    }

    void write(Path file) throws IOException {
        new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(file.toFile(), this);
        Files.writeString(file, Files.readString(file) + "\n");
    }

    /** Tables for a terminal. */
    String text() {
        StringBuilder text = new StringBuilder();
        text.append(
                String.format(
                        Locale.ROOT,
                        "seed %d, %.1f minutes after %.0f s until all were ready, without %s%n%n",
                        seed,
                        minutes,
                        secondsUntilReady,
                        without.isEmpty() ? "nothing" : without));
        appendEpisodes(text);
        appendClients(text);
        text.append("events:   ").append(list(events)).append('\n');
        text.append("faults:   ").append(list(faults)).append('\n');
        text.append("failures: ").append(list(failures)).append("\n\n");
        violations.forEach(violation -> text.append(violation).append('\n'));
        return text.append(
                        violations.isEmpty()
                                ? "no violation"
                                : violations.size() == 1
                                        ? "1 violation"
                                        : violations.size() + " violations")
                .toString();
    }

    private void appendEpisodes(StringBuilder text) {
        List<String> weathers =
                Arrays.stream(Weather.Kind.values()).map(Weather.Kind::key).toList();
        List<String> incidents =
                Stream.concat(
                                Arrays.stream(Incident.values()).map(Incident::key),
                                Stream.of(NO_INCIDENT))
                        .toList();
        appendHead(text, "episodes", incidents);
        for (String weather : weathers) {
            appendRow(
                    text,
                    weather,
                    incidents.stream().map(incident -> episodes(weather, incident)).toList());
        }
        appendRow(
                text,
                "total",
                incidents.stream()
                        .map(
                                incident ->
                                        weathers.stream()
                                                .mapToLong(weather -> episodes(weather, incident))
                                                .sum())
                        .toList());
        text.append('\n');
    }

    private static void appendHead(StringBuilder text, String title, List<String> columns) {
        text.append(String.format(Locale.ROOT, "%-14s", title));
        columns.forEach(column -> text.append(String.format(Locale.ROOT, "%13s", column)));
        text.append('\n');
    }

    private static void appendRow(StringBuilder text, String title, List<Long> numbers) {
        text.append(String.format(Locale.ROOT, "%-14s", title));
        numbers.forEach(number -> text.append(String.format(Locale.ROOT, "%13d", number)));
        text.append('\n');
    }

    private long episodes(String weather, String incident) {
        return episodes.getOrDefault(weather, Map.of()).getOrDefault(incident, 0L);
    }

    private void appendClients(StringBuilder text) {
        appendHead(
                text,
                "clients",
                List.of("statements", "acknowledged", "refused", "open", "checks", "violations"));
        Map<String, Long> elsewhere = new TreeMap<>(violationCounts);
        for (ClientTally.Totals client : clients) {
            Long wrong = elsewhere.remove(client.client());
            appendRow(
                    text,
                    client.client(),
                    List.of(
                            client.statements(),
                            client.acknowledged(),
                            client.refused(),
                            client.open(),
                            client.checks(),
                            wrong == null ? 0L : wrong));
        }
        elsewhere.forEach(
                (where, count) -> appendRow(text, where, List.of(0L, 0L, 0L, 0L, 0L, count)));
        appendRow(
                text,
                "total",
                List.of(
                        clients.stream().mapToLong(ClientTally.Totals::statements).sum(),
                        clients.stream().mapToLong(ClientTally.Totals::acknowledged).sum(),
                        clients.stream().mapToLong(ClientTally.Totals::refused).sum(),
                        clients.stream().mapToLong(ClientTally.Totals::open).sum(),
                        clients.stream().mapToLong(ClientTally.Totals::checks).sum(),
                        (long) violations.size()));
        text.append('\n');
    }

    private static String list(Map<String, Long> counts) {
        return counts.isEmpty()
                ? "none"
                : counts.entrySet().stream()
                        .map(count -> count.getKey() + " " + count.getValue())
                        .collect(Collectors.joining(", "));
    }
}
