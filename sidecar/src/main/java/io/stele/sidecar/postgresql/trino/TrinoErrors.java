package io.stele.sidecar.postgresql.trino;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import io.airlift.log.Logger;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import io.trino.client.ClientException;
import io.trino.client.QueryError;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The translation of Trino's failures to PostgreSQL errors, without addresses and response bodies,
 * which are only logged, at most once a minute for each kind. Thread-safe.
 */
final class TrinoErrors {
    private static final Logger log = Logger.get(TrinoErrors.class);
    private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);

    /** The message of Trino's client about a response that is not Trino's. */
    private static final Pattern STATUS =
            Pattern.compile(
                    "returned (?:HTTP |an invalid response: JsonResponse\\{statusCode=)(\\d{3})\\b");

    /** Trino parses prepared statements with the headers of a request, which it then refuses. */
    private static final Pattern MALFORMED =
            Pattern.compile(
                    "Invalid X-Trino-Prepared-Statement header: (?<why>line \\d+:\\d+: .*?)\\]?\\s*$",
                    Pattern.DOTALL);

    private static final Pattern ADDRESS = Pattern.compile("https?://[^\\s,;)\\]}'\"]+");
    private static final TrinoErrors SHARED = new TrinoErrors(Ticker.systemTicker(), log::warn);

    private final Ticker ticker;
    private final BiConsumer<RuntimeException, String> logger;
    private final Map<Kind, Long> logged = new EnumMap<>(Kind.class); // guarded by itself

    /** The reasons why Trino does not respond to a query. */
    private enum Kind {
        UNREACHABLE(SqlState.CANNOT_CONNECT_NOW, "Expected Trino to answer, found it unreachable"),
        UNAUTHENTICATED(
                SqlState.INSUFFICIENT_PRIVILEGE,
                "Expected Trino to accept the sidecar's login, found it refused"),
        FORBIDDEN(
                SqlState.INSUFFICIENT_PRIVILEGE,
                "Expected Trino to let the user in, found the request refused");

        private final SqlState state;
        private final String message;

        Kind(SqlState state, String message) {
            this.state = state;
            this.message = message;
        }
    }

    TrinoErrors(Ticker ticker, BiConsumer<RuntimeException, String> logger) {
        this.ticker = requireNonNull(ticker, "ticker is null");
        this.logger = requireNonNull(logger, "logger is null");
    }

    static PostgresException of(QueryError error) {
        String name = String.valueOf(error.getErrorName());
        String type = String.valueOf(error.getErrorType());
        String message = String.valueOf(error.getMessage());
        // Addresses in a user's own statement are no secret to the user
        String shown =
                type.equals("USER_ERROR") ? message : ADDRESS.matcher(message).replaceAll("...");
        return new PostgresException(state(name, type, message), "Trino: " + shown);
    }

    /** Translates a missing response, or a response that is not Trino's. */
    static PostgresException unreachable(RuntimeException failure) {
        return SHARED.translate(failure);
    }

    /**
     * Translates a missing response to a statement that changes something, whose outcome is
     * unknown.
     */
    static PostgresException unknownOutcome(RuntimeException failure) {
        PostgresException logged = unreachable(failure);
        return new PostgresException(
                SqlState.OUTCOME_UNKNOWN,
                "Expected the outcome of the statement, found no answer of Trino: it may have been"
                        + " done. Read the rows to know",
                Optional.of(logged.getMessage()));
    }

    PostgresException translate(RuntimeException failure) {
        Matcher malformed = MALFORMED.matcher(String.valueOf(failure.getMessage()));
        if (malformed.find()) {
            return new PostgresException(SqlState.SYNTAX_ERROR, "Trino: " + malformed.group("why"));
        }
        Kind kind = kind(failure);
        if (mayLog(kind)) {
            logger.accept(failure, kind.message);
        }
        return new PostgresException(kind.state, kind.message);
    }

    private boolean mayLog(Kind kind) {
        long now = ticker.read();
        synchronized (logged) {
            Long last = logged.get(kind);
            if (last != null && now - last < LOG_INTERVAL.toNanos()) {
                return false;
            }
            logged.put(kind, now);
            return true;
        }
    }

    private static Kind kind(RuntimeException failure) {
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof ClientException && message.startsWith("Authentication failed")) {
            return Kind.UNAUTHENTICATED;
        }
        Matcher status = STATUS.matcher(message);
        return switch (status.find() ? status.group(1) : "") {
            case "401" -> Kind.UNAUTHENTICATED;
            case "403" -> Kind.FORBIDDEN;
            default -> Kind.UNREACHABLE;
        };
    }

    private static SqlState state(String name, String type, String message) {
        return switch (name) {
            case "SYNTAX_ERROR" -> SqlState.SYNTAX_ERROR;
            case "TABLE_NOT_FOUND" -> SqlState.UNDEFINED_TABLE;
            case "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND", "MISSING_SCHEMA_NAME" ->
                    SqlState.INVALID_SCHEMA_NAME;
            case "COLUMN_NOT_FOUND" -> SqlState.UNDEFINED_COLUMN;
            case "FUNCTION_NOT_FOUND" -> SqlState.UNDEFINED_FUNCTION;
            case "TYPE_MISMATCH" -> SqlState.DATATYPE_MISMATCH;
            case "NOT_SUPPORTED" -> SqlState.FEATURE_NOT_SUPPORTED;
            case "DIVISION_BY_ZERO" -> SqlState.DIVISION_BY_ZERO;
            case "INVALID_CAST_ARGUMENT", "INVALID_LITERAL" -> SqlState.INVALID_TEXT;
            case "NUMERIC_VALUE_OUT_OF_RANGE" -> SqlState.NUMERIC_OUT_OF_RANGE;
            // The connector has one code for all violations; the engine's message has this text for
            // keys and unique indexes
            case "CONSTRAINT_VIOLATION" ->
                    message.contains("found the duplicate key ")
                            ? SqlState.UNIQUE_VIOLATION
                            : SqlState.NOT_NULL_VIOLATION;
            case "TABLE_ALREADY_EXISTS" -> SqlState.DUPLICATE_TABLE;
            case "SCHEMA_ALREADY_EXISTS" -> SqlState.DUPLICATE_SCHEMA;
            case "COLUMN_ALREADY_EXISTS", "DUPLICATE_COLUMN_NAME" -> SqlState.DUPLICATE_COLUMN;
            case "ALREADY_EXISTS" -> SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE;
            case "TRANSACTION_CONFLICT" -> SqlState.SERIALIZATION_FAILURE;
            case "USER_CANCELED",
                    "EXCEEDED_TIME_LIMIT",
                    "EXCEEDED_CPU_LIMIT",
                    "OPTIMIZER_TIMEOUT",
                    "ABANDONED_QUERY",
                    "ADMINISTRATIVELY_KILLED",
                    "ADMINISTRATIVELY_PREEMPTED" ->
                    SqlState.QUERY_CANCELED;
            case "PERMISSION_DENIED" -> SqlState.INSUFFICIENT_PRIVILEGE;
            case "QUERY_QUEUE_FULL" -> SqlState.TOO_MANY_CONNECTIONS;
            default ->
                    switch (type) {
                        case "USER_ERROR" -> SqlState.INVALID_PARAMETER_VALUE;
                        case "INSUFFICIENT_RESOURCES" -> SqlState.OUT_OF_MEMORY;
                        default -> SqlState.INTERNAL_ERROR;
                    };
        };
    }
}
