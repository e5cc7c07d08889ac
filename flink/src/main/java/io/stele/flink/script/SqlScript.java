package io.stele.flink.script;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;

/**
 * A program that runs the SQL statements of a file in order, as a streaming job. It lets {@code
 * flink run} submit a job where there is no SQL client. The last statement may start a job without
 * end; the program does not wait for jobs.
 *
 * <p>A statement ends with a semicolon at the end of a line. Besides the statements of Flink's
 * table API, {@code SET 'key' = 'value'} is supported.
 */
public final class SqlScript {
    private static final Pattern SET =
            Pattern.compile("SET\\s+'([^']+)'\\s*=\\s*'([^']*)'", Pattern.CASE_INSENSITIVE);

    private SqlScript() {}

    /**
     * Runs the script.
     *
     * @param arguments the path of the file
     * @throws IOException the file cannot be read
     */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            throw new IllegalArgumentException(
                    "Expected the path of a file of statements, found %d arguments"
                            .formatted(arguments.length));
        }
        TableEnvironment tables =
                TableEnvironment.create(
                        EnvironmentSettings.newInstance().inStreamingMode().build());
        for (String statement : statements(Files.readString(Path.of(arguments[0])))) {
            Matcher set = SET.matcher(statement);
            if (set.matches()) {
                tables.getConfig().set(set.group(1), set.group(2));
            } else {
                tables.executeSql(statement);
            }
        }
    }

    /** The statements of a script, without their terminators. */
    static List<String> statements(String script) {
        List<String> statements = new ArrayList<>();
        for (String part : script.split(";[ \\t\\r]*(\\n|$)")) {
            if (!part.isBlank()) {
                statements.add(part.strip());
            }
        }
        return List.copyOf(statements);
    }
}
