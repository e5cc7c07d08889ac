package io.stele.benchmarks.quickstart;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * The checks and measurements of the quickstart so far. Each check is printed as it is made.
 *
 * <p>Confined to the thread that runs the quickstart.
 */
final class Findings {
    private record Measurement(String name, String value) {}

    private final PrintStream out;
    private final List<Measurement> measurements = new ArrayList<>();
    private int passed;
    private int failed;

    Findings(PrintStream out) {
        this.out = out;
    }

    void heading(String text) {
        out.printf(Locale.ROOT, "%n== %s%n", text);
    }

    void say(String format, Object... arguments) {
        out.printf(Locale.ROOT, "   " + format + "%n", arguments);
    }

    void checkEqual(String what, Object expected, Object found) {
        check(
                what,
                Objects.equals(expected, found),
                "expected %s, found %s".formatted(expected, found));
    }

    void check(String what, boolean holds, String detail) {
        if (holds) {
            passed++;
            out.printf(Locale.ROOT, "   ok    %s%n", what);
        } else {
            failed++;
            out.printf(Locale.ROOT, "   FAIL  %s: %s%n", what, detail);
        }
    }

    void measured(String name, String format, Object... arguments) {
        measurements.add(new Measurement(name, format.formatted(arguments)));
    }

    boolean allHold() {
        return failed == 0 && passed > 0;
    }

    void printTable() {
        heading("What was measured");
        int width = measurements.stream().mapToInt(entry -> entry.name().length()).max().orElse(0);
        for (Measurement entry : measurements) {
            out.printf(
                    Locale.ROOT,
                    "   %s  %s%n",
                    entry.name() + " ".repeat(width - entry.name().length()),
                    entry.value());
        }
        out.printf(Locale.ROOT, "%n%d passed, %d failed%n", passed, failed);
    }
}
