package io.stele.sidecar.postgresql.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.io.Resources;
import io.stele.protocol.SteleException;
import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.metrics.AccessMetrics;
import io.stele.sidecar.postgresql.sql.CurrentTimes;
import io.stele.sidecar.postgresql.sql.StatementSplitter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every statement that clients sent to PostgreSQL 15 about its catalog has an answer. */
final class TestRecordedQueries {
    private static final Pattern PARAMETER = Pattern.compile("\\$\\d+ = (NULL|'((?:[^']|'')*)')");

    private static final AuthenticatedUser ANN = AuthenticatedUser.withSecret("ann");

    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "psql",
                "psql_completion",
                "pgjdbc",
                "sqlalchemy",
                "asyncpg",
                "psycopg",
                "node",
                "npgsql",
                "grafana"
            })
    void areAnswered(String client) throws IOException {
        SampleCatalog catalog = new SampleCatalog(folder);
        List<String> failures = new ArrayList<>();
        try (CatalogQueries queries =
                new CatalogQueries(
                        catalog::current,
                        AccessControl.withoutRules(new AccessMetrics()),
                        "stele",
                        List::of,
                        InstantSource.system())) {
            for (Recorded recorded : recorded(client)) {
                try {
                    answer(queries, recorded);
                } catch (SteleException | AssertionError e) {
                    failures.add(e.getMessage() + "\n    in " + recorded.sql());
                }
            }
        }
        assertThat(failures).isEmpty();
    }

    private static void answer(CatalogQueries queries, Recorded recorded) {
        assertThat(queries.concerns(recorded.sql(), ANN)).as("concerns the catalog").isTrue();
        List<CatalogColumn> described = queries.describe(recorded.sql(), List.of(), ANN);
        CatalogResult result =
                queries.run(
                        recorded.sql(),
                        recorded.parameters(),
                        List.of(),
                        new CatalogSession(
                                ANN,
                                1,
                                Map.of(),
                                CurrentTimes.now(InstantSource.system(), ZoneOffset.UTC)));
        assertThat(result.columns()).isEqualTo(described);
        assertThat(result.columns()).isNotEmpty();
        for (List<Optional<String>> row : result.rows()) {
            assertThat(row).hasSameSizeAs(result.columns());
        }
    }

    record Recorded(String sql, List<Optional<String>> parameters) {}

    static List<Recorded> recorded(String client) throws IOException {
        String text =
                Resources.toString(
                        Resources.getResource(TestRecordedQueries.class, client + ".sql"),
                        StandardCharsets.UTF_8);
        List<Recorded> all = new ArrayList<>();
        for (String entry : text.split("\n;;\n")) {
            String[] parts = entry.split("\n-- parameters: ");
            List<Optional<String>> parameters = new ArrayList<>();
            if (parts.length > 1) {
                Matcher matcher = PARAMETER.matcher(parts[1]);
                while (matcher.find()) {
                    parameters.add(
                            Optional.ofNullable(matcher.group(2))
                                    .map(value -> value.replace("''", "'")));
                }
            }
            for (String sql : StatementSplitter.split(parts[0])) {
                if (sql.matches("(?is)(select|with|values|table|show|\\().*")) {
                    all.add(new Recorded(sql, parameters));
                }
            }
        }
        return all;
    }
}
