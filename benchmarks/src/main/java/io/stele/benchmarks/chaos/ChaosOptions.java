package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The command-line options of a chaos run.
 *
 * @param duration of the load and its disturbances, without the start before and the check after it
 * @param seed of the schedule and of the actions of the clients
 * @param without keys of disturbances and clients that are left out
 * @param json the file that gets the report
 */
record ChaosOptions(Duration duration, long seed, Set<String> without, Optional<Path> json) {
    /** Longer runs are several, so that each one's folders stay small. */
    private static final double MAX_MINUTES = 24 * 60;

    ChaosOptions {
        requireNonNull(duration, "duration is null");
        without = Set.copyOf(without);
        requireNonNull(json, "json is null");
    }

    /**
     * Reads the words behind {@code bin/stele chaos}.
     *
     * @throws IllegalArgumentException saying what was expected and what was found
     */
    static ChaosOptions parse(List<String> words, long newSeed) {
        double minutes = 10;
        long seed = newSeed;
        Set<String> without = new LinkedHashSet<>();
        Optional<Path> json = Optional.empty();
        for (int at = 0; at < words.size(); at += 2) {
            String option = words.get(at);
            if (at + 1 == words.size()) {
                throw new IllegalArgumentException(
                        "Expected a value after %s, found none".formatted(option));
            }
            String value = words.get(at + 1);
            switch (option) {
                case "--minutes" -> minutes = minutes(value);
                case "--seed" -> seed = seed(value);
                case "--without" -> without.addAll(keys(value));
                case "--json" -> json = Optional.of(Path.of(value));
                default ->
                        throw new IllegalArgumentException(
                                "Expected --minutes, --seed, --without or --json, found " + option);
            }
        }
        return new ChaosOptions(
                Duration.ofMillis(Math.round(minutes * 60_000)), seed, without, json);
    }

    boolean has(String key) {
        return !without.contains(key);
    }

    private static double minutes(String value) {
        try {
            double minutes = Double.parseDouble(value);
            if (minutes > 0 && minutes <= MAX_MINUTES) {
                return minutes;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException(
                String.format(
                        Locale.ROOT,
                        "Expected --minutes above 0 and at most %.0f, found %s",
                        MAX_MINUTES,
                        value));
    }

    private static long seed(String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "Expected a whole number after --seed, found " + value, e);
        }
    }

    private static List<String> keys(String value) {
        List<String> keys = Arrays.asList(value.split(","));
        Set<String> known = new TreeSet<>(ChaosRun.CLIENT_KEYS);
        for (Weather.Kind kind : Weather.Kind.values()) {
            known.add(kind.key());
        }
        for (Incident incident : Incident.values()) {
            known.add(incident.key());
        }
        for (String key : keys) {
            if (!known.contains(key)) {
                throw new IllegalArgumentException(
                        "Expected keys of %s after --without, found %s".formatted(known, key));
            }
        }
        return keys;
    }
}
