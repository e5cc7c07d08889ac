package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.sidecar.flight.sql.FlightSqlService.Cancelled;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionCancelQueryResult.CancelResult;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionEndTransactionRequest.EndTransaction;

/**
 * The dispatch of Flight SQL's actions, and of Flight's own action to cancel, to {@link
 * FlightSqlService}. Blocks; thread-safe.
 */
public final class SqlActions {
    private static final Map<String, String> DESCRIPTIONS = new LinkedHashMap<>();

    static {
        DESCRIPTIONS.put("CreatePreparedStatement", "Flight SQL: prepares a statement");
        DESCRIPTIONS.put("ClosePreparedStatement", "Flight SQL: closes a prepared statement");
        DESCRIPTIONS.put("BeginTransaction", "Flight SQL: begins a transaction");
        DESCRIPTIONS.put("EndTransaction", "Flight SQL: commits a transaction, or rolls it back");
        DESCRIPTIONS.put("BeginSavepoint", "Flight SQL: refused");
        DESCRIPTIONS.put("EndSavepoint", "Flight SQL: refused");
        DESCRIPTIONS.put("CancelQuery", "Flight SQL: cancels a statement");
        DESCRIPTIONS.put("CancelFlightInfo", "Cancels a statement of Flight SQL");
    }

    private final FlightSqlService service;

    public SqlActions(FlightSqlService service) {
        this.service = requireNonNull(service, "service is null");
    }

    /** The names of the actions, with what they do. */
    public static Map<String, String> descriptions() {
        return Map.copyOf(DESCRIPTIONS);
    }

    public static boolean isKnown(String type) {
        return DESCRIPTIONS.containsKey(type);
    }

    /** Runs an action for which {@link #isKnown} holds; returns the bodies of its results. */
    public List<byte[]> run(String type, byte[] body, SqlCaller caller) {
        return switch (type) {
            case "CreatePreparedStatement" ->
                    List.of(
                            SqlMessages.pack(
                                    service.createStatement(
                                            SqlMessages.parse(
                                                    body,
                                                    FlightSql.ActionCreatePreparedStatementRequest
                                                            .class),
                                            caller)));
            case "ClosePreparedStatement" -> {
                service.closeStatement(
                        SqlMessages.parse(body, FlightSql.ActionClosePreparedStatementRequest.class)
                                .getPreparedStatementHandle(),
                        caller);
                yield List.of();
            }
            case "BeginTransaction" -> {
                FlightSql.ActionBeginTransactionRequest unused =
                        SqlMessages.parse(body, FlightSql.ActionBeginTransactionRequest.class);
                yield List.of(
                        SqlMessages.pack(
                                FlightSql.ActionBeginTransactionResult.newBuilder()
                                        .setTransactionId(service.beginTransaction(caller))
                                        .build()));
            }
            case "EndTransaction" -> {
                end(SqlMessages.parse(body, FlightSql.ActionEndTransactionRequest.class), caller);
                yield List.of();
            }
            case "CancelQuery" ->
                    List.of(
                            cancelQuery(
                                    SqlMessages.parse(
                                            body, FlightSql.ActionCancelQueryRequest.class),
                                    caller));
            case "CancelFlightInfo" -> List.of(cancelFlightInfo(body, caller));
            default ->
                    throw new PostgresException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "Expected a transaction without savepoints, found " + type);
        };
    }

    private void end(FlightSql.ActionEndTransactionRequest request, SqlCaller caller) {
        if (request.getAction() != EndTransaction.END_TRANSACTION_COMMIT
                && request.getAction() != EndTransaction.END_TRANSACTION_ROLLBACK) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected COMMIT or ROLLBACK of a transaction, found " + request.getAction());
        }
        service.endTransaction(
                request.getTransactionId(),
                request.getAction() == EndTransaction.END_TRANSACTION_COMMIT,
                caller);
    }

    private byte[] cancelQuery(FlightSql.ActionCancelQueryRequest request, SqlCaller caller) {
        CancelResult result =
                switch (cancel(flightInfo(request.getInfo()), caller)) {
                    case BEFORE_IT_BEGAN -> CancelResult.CANCEL_RESULT_CANCELLED;
                    case WHILE_IT_RUNS -> CancelResult.CANCEL_RESULT_CANCELLING;
                    case NOT_KNOWN -> CancelResult.CANCEL_RESULT_NOT_CANCELLABLE;
                };
        return SqlMessages.pack(
                FlightSql.ActionCancelQueryResult.newBuilder().setResult(result).build());
    }

    private byte[] cancelFlightInfo(byte[] body, SqlCaller caller) {
        Flight.CancelFlightInfoRequest request;
        try {
            request = Flight.CancelFlightInfoRequest.parseFrom(body);
        } catch (InvalidProtocolBufferException e) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a CancelFlightInfoRequest, found bytes that are none: "
                            + e.getMessage(),
                    e);
        }
        Flight.CancelStatus status =
                switch (cancel(request.getInfo(), caller)) {
                    case BEFORE_IT_BEGAN -> Flight.CancelStatus.CANCEL_STATUS_CANCELLED;
                    case WHILE_IT_RUNS -> Flight.CancelStatus.CANCEL_STATUS_CANCELLING;
                    case NOT_KNOWN -> Flight.CancelStatus.CANCEL_STATUS_NOT_CANCELLABLE;
                };
        return Flight.CancelFlightInfoResult.newBuilder().setStatus(status).build().toByteArray();
    }

    private static Flight.FlightInfo flightInfo(ByteString bytes) {
        try {
            return Flight.FlightInfo.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a FlightInfo to cancel, found bytes that are none: " + e.getMessage(),
                    e);
        }
    }

    private Cancelled cancel(Flight.FlightInfo info, SqlCaller caller) {
        Cancelled outcome = Cancelled.NOT_KNOWN;
        for (Flight.FlightEndpoint endpoint : info.getEndpointList()) {
            Cancelled one = service.cancel(endpoint.getTicket().getTicket().toByteArray(), caller);
            if (one != Cancelled.NOT_KNOWN) {
                outcome = one;
            }
        }
        return outcome;
    }
}
