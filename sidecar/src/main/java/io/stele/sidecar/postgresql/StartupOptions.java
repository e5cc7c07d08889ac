package io.stele.sidecar.postgresql;

import io.stele.sidecar.postgresql.session.Settings;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;

/**
 * A parser of the options in a PostgreSQL client's startup message, {@code -c name=value} and
 * {@code --name=value}, into its session's settings.
 */
final class StartupOptions {
    private StartupOptions() {}

    static void apply(String options, Settings settings) {
        String[] words = options.strip().split("(?<!\\\\)\\s+");
        for (int i = 0; i < words.length; i++) {
            String word = words[i];
            if (word.isEmpty()) {
                continue;
            }
            String assignment;
            if (word.equals("-c") && i + 1 < words.length) {
                assignment = words[++i];
            } else if (word.startsWith("-c")) {
                assignment = word.substring(2);
            } else if (word.startsWith("--")) {
                assignment = word.substring(2).replace('-', '_');
            } else {
                throw invalid(word);
            }
            int equals = assignment.indexOf('=');
            if (equals <= 0) {
                throw invalid(assignment);
            }
            settings.setInitial(
                    assignment.substring(0, equals),
                    assignment.substring(equals + 1).replace("\\ ", " ").replace("\\\\", "\\"));
        }
    }

    private static PostgresException invalid(String found) {
        return new PostgresException(
                SqlState.INVALID_PARAMETER_VALUE,
                "Expected options of the form -c name=value, found '%s'".formatted(found));
    }
}
