package io.stele.sidecar.postgresql.trino;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import io.stele.sidecar.postgresql.catalog.CatalogColumn;
import io.stele.sidecar.postgresql.run.Cancellation;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import io.trino.client.Column;
import io.trino.client.QueryError;
import io.trino.client.QueryStatusInfo;
import io.trino.client.StatementClient;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A running query of Trino, whose rows the calling thread fetches page by page over HTTP. Confined
 * to the thread of its client; it must be closed, which ends the query.
 */
public final class TrinoRows implements AutoCloseable {
    private final StatementClient query;
    private final boolean changes;
    private final Cancellation cancellation;
    private final Consumer<StatementClient> end;
    private Iterator<List<Object>> page = Collections.emptyIterator();
    private @Nullable List<CatalogColumn> columns;
    private List<TrinoValues> types = List.of();
    private boolean isClosed;

    /**
     * @param changes whether the statement may change something
     * @param end ends the query, once
     */
    TrinoRows(
            StatementClient query,
            boolean changes,
            Cancellation cancellation,
            Consumer<StatementClient> end) {
        this.query = requireNonNull(query, "query is null");
        this.changes = changes;
        this.cancellation = requireNonNull(cancellation, "cancellation is null");
        this.end = requireNonNull(end, "end is null");
    }

    /**
     * Waits for and returns the columns, which Trino sends after it has analyzed the statement.
     *
     * @throws PostgresException the failure of the statement
     */
    public List<CatalogColumn> columns() {
        List<CatalogColumn> known = columns;
        if (known != null) {
            return known;
        }
        while (query.isRunning() && query.currentStatusInfo().getColumns() == null) {
            advance();
        }
        List<Column> found =
                query.isRunning()
                        ? query.currentStatusInfo().getColumns()
                        : finished().getColumns();
        List<CatalogColumn> all = new ArrayList<>();
        List<TrinoValues> allTypes = new ArrayList<>();
        for (Column column : found == null ? List.<Column>of() : found) {
            TrinoValues type = TrinoValues.of(column.getType());
            allTypes.add(type);
            all.add(new CatalogColumn(column.getName(), type.type().oid()));
        }
        types = allTypes;
        columns = List.copyOf(all);
        if (query.isRunning()) {
            page = rows();
        }
        return all;
    }

    private void advance() {
        checkCancelled();
        try {
            boolean unused = query.advance();
        } catch (RuntimeException e) {
            throw noAnswer(e);
        }
    }

    /**
     * Throws if the client has cancelled; for a change, the message adds that Trino may have done
     * it.
     */
    private void checkCancelled() {
        try {
            cancellation.check();
        } catch (PostgresException cancelled) {
            if (!changes) {
                throw cancelled;
            }
            throw new PostgresException(
                    cancelled.state(),
                    cancelled.getMessage() + ". Trino may have done it: read the rows to know");
        }
    }

    private Iterator<List<Object>> rows() {
        try {
            return query.currentRows().iterator();
        } catch (RuntimeException e) {
            throw noAnswer(e);
        }
    }

    private PostgresException noAnswer(RuntimeException failure) {
        return changes ? TrinoErrors.unknownOutcome(failure) : TrinoErrors.unreachable(failure);
    }

    private QueryStatusInfo finished() {
        if (query.isClientError()) {
            throw noAnswer(new IllegalStateException("Trino did not answer"));
        }
        if (query.isClientAborted()) {
            throw new PostgresException(SqlState.QUERY_CANCELED, "The statement was cancelled");
        }
        QueryError error = query.finalStatusInfo().getError();
        if (error != null) {
            throw TrinoErrors.of(error);
        }
        return query.finalStatusInfo();
    }

    /** Returns the next row, with values in PostgreSQL's text format; empty at the end. */
    public Optional<List<Optional<String>>> next() {
        List<CatalogColumn> unused = columns();
        while (!page.hasNext()) {
            if (!query.isRunning()) {
                QueryStatusInfo unusedStatus = finished();
                return Optional.empty();
            }
            advance();
            page = query.isRunning() ? rows() : Collections.emptyIterator();
        }
        List<Object> values = page.next();
        List<Optional<String>> row = new ArrayList<>(values.size());
        for (int i = 0; i < values.size(); i++) {
            Object value = values.get(i);
            row.add(value == null ? Optional.empty() : Optional.of(types.get(i).text(value)));
        }
        return Optional.of(row);
    }

    /**
     * Waits for the end of a statement that changes something.
     *
     * @param word the first word of the statement
     * @return PostgreSQL's command tag of the statement
     */
    public String complete(String word) {
        while (next().isPresent()) {
            // A single row with the count
        }
        String type = requireNonNullElse(query.finalStatusInfo().getUpdateType(), word);
        OptionalLong count = query.finalStatusInfo().getUpdateCount();
        if (count.isEmpty()) {
            return type;
        }
        return switch (type) {
            case "INSERT" -> "INSERT 0 " + count.getAsLong();
            case "CREATE TABLE" -> "SELECT " + count.getAsLong();
            default -> type + " " + count.getAsLong();
        };
    }

    /** The schema of unqualified tables from now on, after USE. */
    public Optional<String> newSchema() {
        return query.getSetSchema();
    }

    /** The catalog of unqualified tables from now on, after USE. */
    public Optional<String> newCatalog() {
        return query.getSetCatalog();
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            end.accept(query);
        }
    }

    /** The number of rows at the end of a tag such as INSERT 0 5; 0: it has none. */
    public static long changedRows(String tag) {
        String last = tag.substring(tag.lastIndexOf(' ') + 1);
        return last.matches("[0-9]{1,18}") ? Long.parseLong(last) : 0;
    }
}
