package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.status.StatementStatus;
import io.stele.sidecar.postgresql.catalog.relation.CatalogRelations;
import io.stele.sidecar.postgresql.catalog.relation.CatalogSettings;
import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.SystemCatalog;
import io.stele.sidecar.postgresql.catalog.relation.TypeOids;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The context of one catalog query: its relations, session, parameters and limits. Confined to the
 * thread that runs the statement.
 */
final class QueryContext {
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Rows that a statement may have at one place: some hundreds of megabytes. */
    static final int MAX_ROWS = 1_000_000;

    /** The text of all values that one statement may build. */
    private static final long MAX_TEXT = 256L << 20;

    private static final int STEPS_PER_LOOK = 1_024;

    private final CatalogRelations relations;
    private final CatalogSession session;
    private final String database;
    private final Instant serverStart;
    private final Supplier<List<StatementStatus>> statements;
    private final Optional<List<Optional<String>>> parameters;
    private final List<Integer> parameterTypes;
    private final Ticker ticker;
    private final long deadline;
    private final List<String> path;
    private long steps;
    private long text;

    /**
     * @param parameters empty while a statement is only described
     */
    QueryContext(
            CatalogRelations relations,
            CatalogSession session,
            String database,
            Instant serverStart,
            Supplier<List<StatementStatus>> statements,
            Optional<List<Optional<String>>> parameters,
            List<Integer> parameterTypes,
            Ticker ticker) {
        this.relations = requireNonNull(relations, "relations is null");
        this.session = requireNonNull(session, "session is null");
        this.database = requireNonNull(database, "database is null");
        this.serverStart = requireNonNull(serverStart, "serverStart is null");
        this.statements = requireNonNull(statements, "statements is null");
        this.parameters = requireNonNull(parameters, "parameters is null");
        this.parameterTypes = new ArrayList<>(parameterTypes);
        this.ticker = requireNonNull(ticker, "ticker is null");
        this.deadline = ticker.read() + MAX_NANOS;
        this.path = path();
    }

    private List<String> path() {
        List<String> found = new ArrayList<>(List.of(SystemCatalog.PG_CATALOG));
        for (String written : setting("search_path").orElse("").split(",", -1)) {
            String name = CatalogRelations.nameParts(written.strip()).get(0);
            String schema = name.equals("$user") ? session.user().name() : name;
            if (relations.namespace(schema).isPresent() && !found.contains(schema)) {
                found.add(schema);
            }
        }
        return List.copyOf(found);
    }

    CatalogRelations relations() {
        return relations;
    }

    CatalogSession session() {
        return session;
    }

    String database() {
        return database;
    }

    Instant serverStart() {
        return serverStart;
    }

    /** The statements that the session's user may see in {@code pg_stat_statements}. */
    List<StatementStatus> statements() {
        return statements.get();
    }

    /** The schemas where bare names are looked for, pg_catalog first. */
    List<String> searchPath() {
        return path;
    }

    Optional<String> setting(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return Optional.ofNullable(session.settings().get(lower))
                .or(() -> Optional.ofNullable(CatalogSettings.DEFAULTS.get(lower)));
    }

    boolean isDescribed() {
        return parameters.isEmpty();
    }

    int parameterType(int number) {
        while (parameterTypes.size() < number) {
            parameterTypes.add(0);
        }
        return parameterTypes.get(number - 1);
    }

    /** The types of all parameters, as declared or as their use shows. */
    List<Integer> parameterTypes() {
        return parameterTypes.stream().map(type -> type == 0 ? TypeOids.TEXT : type).toList();
    }

    /** Notes the type of a parameter that has none. */
    void infer(Typed expression, int type) {
        if (expression.parameter() > 0
                && type != Typed.UNKNOWN
                && parameterType(expression.parameter()) == 0) {
            parameterTypes.set(expression.parameter() - 1, type);
        }
    }

    /** The text of a parameter, or NULL. */
    Object parameter(int number) {
        List<Optional<String>> values =
                parameters.orElseThrow(() -> CatalogValues.invalid("values of parameters", "none"));
        if (number > values.size()) {
            throw CatalogValues.invalid(
                    "a value of parameter $" + number, values.size() + " values");
        }
        return values.get(number - 1).map(value -> (Object) value).orElse(CatalogValues.NULL);
    }

    /** Counts a row or another piece of work; fails at the time limit. */
    void step() {
        if (++steps % STEPS_PER_LOOK == 0 && ticker.read() - deadline > 0) {
            throw limit("at most 10 seconds", "more, after " + steps + " steps");
        }
    }

    /** Fails if a list of rows is too long. */
    void checkRows(int count) {
        if (count > MAX_ROWS) {
            throw limit("at most " + MAX_ROWS + " rows at a time", count + " rows");
        }
    }

    /** Counts text that was built; fails at the limit. */
    String countText(String value) {
        text += value.length();
        if (text > MAX_TEXT) {
            throw limit("at most " + MAX_TEXT + " characters of values", "more");
        }
        return value;
    }

    private static SteleException limit(String expected, String found) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected %s of a query of the catalog, found %s".formatted(expected, found));
    }
}
