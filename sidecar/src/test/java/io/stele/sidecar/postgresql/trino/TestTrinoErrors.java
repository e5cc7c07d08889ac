package io.stele.sidecar.postgresql.trino;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.trino.client.ClientException;
import io.trino.client.QueryError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TestTrinoErrors {
    private static PostgresException of(String name, String type, String message) {
        return TrinoErrors.of(new QueryError(message, null, 1, name, type, null, null));
    }

    @ParameterizedTest
    @CsvSource({
        "SYNTAX_ERROR, USER_ERROR, 42601",
        "TABLE_NOT_FOUND, USER_ERROR, 42P01",
        "TABLE_ALREADY_EXISTS, USER_ERROR, 42P07",
        "SCHEMA_ALREADY_EXISTS, USER_ERROR, 42P06",
        "COLUMN_ALREADY_EXISTS, USER_ERROR, 42701",
        "DUPLICATE_COLUMN_NAME, USER_ERROR, 42701",
        "EXCEEDED_TIME_LIMIT, INSUFFICIENT_RESOURCES, 57014",
        "EXCEEDED_CPU_LIMIT, INSUFFICIENT_RESOURCES, 57014",
        "ADMINISTRATIVELY_KILLED, USER_ERROR, 57014",
        "ABANDONED_QUERY, USER_ERROR, 57014",
        "USER_CANCELED, USER_ERROR, 57014",
        "CLUSTER_OUT_OF_MEMORY, INSUFFICIENT_RESOURCES, 53200",
        "PERMISSION_DENIED, USER_ERROR, 42501",
        "MISSING_GROUP_BY, USER_ERROR, 22023",
        "COMPILER_ERROR, INTERNAL_ERROR, XX000",
    })
    void errorsHaveStates(String name, String type, String state) {
        PostgresException error = of(name, type, "why");
        assertThat(error.state().code()).isEqualTo(state);
        assertThat(error).hasMessage("Trino: why");
    }

    @Test
    void duplicateKeysAreUniqueViolations() {
        assertThat(
                        of(
                                        "CONSTRAINT_VIOLATION",
                                        "USER_ERROR",
                                        "Expected a new key in table s.t, found the duplicate key 1")
                                .state()
                                .code())
                .isEqualTo("23505");
        assertThat(
                        of(
                                        "CONSTRAINT_VIOLATION",
                                        "USER_ERROR",
                                        "NULL value not allowed for NOT NULL column: id")
                                .state()
                                .code())
                .isEqualTo("23502");
    }

    @Test
    void addressesOfTheClusterAreNotShown() {
        assertThat(
                        of(
                                "PAGE_TRANSPORT_ERROR",
                                "INTERNAL_ERROR",
                                "Failed (http://10.0.0.7:8080/v1/task/1), https://worker.internal/x: closed"))
                .hasMessage("Trino: Failed (...), ... closed");
        assertThat(of("GENERIC_USER_ERROR", "USER_ERROR", "No page http://example.com/a"))
                .hasMessage("Trino: No page http://example.com/a");
    }

    private static String refused(int status) {
        return ("Error starting query at http://10.0.0.7:8080/v1/statement returned an invalid"
                        + " response: JsonResponse{statusCode=%s, headers=[], hasValue=false}"
                        + " [Error: statusCode=403 secret]")
                .formatted(status);
    }

    @Test
    void failuresToAnswerHaveFixedMessages() {
        TrinoErrors errors = new TrinoErrors(Ticker.systemTicker(), (failure, message) -> {});
        PostgresException unreachable = errors.translate(new RuntimeException(refused(502)));
        assertThat(unreachable).hasMessage("Expected Trino to answer, found it unreachable");
        assertThat(unreachable).hasNoCause();
        assertThat(unreachable.state().code()).isEqualTo("57P03");

        for (RuntimeException failure :
                List.of(
                        new RuntimeException(refused(401)),
                        new RuntimeException(refused(403)),
                        new RuntimeException(
                                "Error fetching next at http://10.0.0.7:8080/v1 returned HTTP 403"),
                        new ClientException("Authentication failed: secret"))) {
            PostgresException forbidden = errors.translate(failure);
            assertThat(forbidden.state().code()).isEqualTo("42501");
            assertThat(forbidden.getMessage()).doesNotContain("secret", "10.0.0.7");
        }
    }

    /** A statement with parameters is a header, so that a mistake in it is no answer of a query. */
    @Test
    void mistakesInPreparedStatementsAreTheClients() {
        PostgresException mistake =
                new TrinoErrors(Ticker.systemTicker(), (_, _) -> {})
                        .translate(
                                new RuntimeException(
                                        "Error starting query at http://10.0.0.7:8080/v1/statement returned an invalid response: JsonResponse{statusCode=400, headers={a=[b]}, hasValue=false} [Error: Error 400 Bad Request: Invalid X-Trino-Prepared-Statement header: line 1:47: mismatched input 'on'. Expecting: '[', <EOF>]"));
        assertThat(mistake.state().code()).isEqualTo("42601");
        assertThat(mistake)
                .hasMessage("Trino: line 1:47: mismatched input 'on'. Expecting: '[', <EOF>");
    }

    @Test
    void causesAreLoggedOnceAMinuteForEachKind() {
        AtomicLong nanos = new AtomicLong();
        List<RuntimeException> logged = new ArrayList<>();
        TrinoErrors errors =
                new TrinoErrors(
                        new Ticker() {
                            @Override
                            public long read() {
                                return nanos.get();
                            }
                        },
                        (failure, message) -> logged.add(failure));
        RuntimeException first = new RuntimeException(refused(502));
        RuntimeException forbidden = new RuntimeException(refused(403));
        RuntimeException later = new RuntimeException("closed");
        for (RuntimeException failure : List.of(first, first, forbidden, later)) {
            assertThat(errors.translate(failure)).hasMessageStartingWith("Expected Trino to ");
        }
        assertThat(logged).containsExactly(first, forbidden);
        nanos.set(Duration.ofMinutes(1).toNanos());
        assertThat(errors.translate(later)).hasMessageStartingWith("Expected Trino to ");
        assertThat(logged).containsExactly(first, forbidden, later);
    }
}
