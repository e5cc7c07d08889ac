package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counters and violations of a chaos run, with messages that are printed as they occur.
 * Thread-safe.
 */
final class Findings {
    /** Violations that are printed; further ones are only counted. */
    private static final int MAX_TOLD = 50;

    private static final int MAX_TEXT = 1_500;

    private final PrintStream out;
    private final long start = System.nanoTime();
    private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();
    private final List<String> violations = new ArrayList<>(); // guarded by itself

    Findings(PrintStream out) {
        this.out = requireNonNull(out, "out is null");
    }

    /** A promise was broken. */
    void violation(String where, String what) {
        String text = where + ": " + shortened(what);
        int number;
        synchronized (violations) {
            violations.add(text);
            number = violations.size();
            count("violations of " + where);
        }
        if (number <= MAX_TOLD) {
            say("VIOLATION " + text);
        }
    }

    /** Prints a message for the reader of the output. */
    void say(String text) {
        out.printf(Locale.ROOT, "%7.1f s  %s%n", (System.nanoTime() - start) / 1e9, text);
    }

    void count(String what) {
        count(what, 1);
    }

    void count(String what, long times) {
        counts.computeIfAbsent(what, ignored -> new LongAdder()).add(times);
    }

    long counted(String what) {
        LongAdder count = counts.get(what);
        return count == null ? 0 : count.sum();
    }

    /** Counts whose names begin with this, by the rest of the name. */
    Map<String, Long> counts(String prefix) {
        Map<String, Long> found = new TreeMap<>();
        counts.forEach(
                (what, count) -> {
                    if (what.startsWith(prefix)) {
                        found.put(what.substring(prefix.length()), count.sum());
                    }
                });
        return found;
    }

    List<String> violations() {
        synchronized (violations) {
            return List.copyOf(violations);
        }
    }

    static String shortened(String text) {
        String line = text.replace('\n', ' ').replace("\r", "");
        return line.length() <= MAX_TEXT ? line : line.substring(0, MAX_TEXT) + " ...";
    }
}
