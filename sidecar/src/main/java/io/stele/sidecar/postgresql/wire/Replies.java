package io.stele.sidecar.postgresql.wire;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.List;

/**
 * An encoder of the server's messages without rows, such as errors, notices and command tags, into
 * a PostgreSQL client's writer. Confined to one thread at a time.
 */
public final class Replies {
    private final MessageWriter out;

    public Replies(MessageWriter out) {
        this.out = requireNonNull(out, "out is null");
    }

    public MessageWriter out() {
        return out;
    }

    /**
     * Writes an error, after which the client waits for ReadyForQuery, or the connection ends.
     *
     * @param severity ERROR or FATAL
     */
    public void error(String severity, PostgresException failure) throws IOException {
        out.begin('E');
        field('S', severity);
        field('V', severity);
        field('C', failure.state().code());
        field('M', failure.getMessage());
        failure.hint().ifPresent(hint -> field('H', hint));
        out.putByte(0).end();
    }

    public void notice(SqlState state, String message) throws IOException {
        out.begin('N');
        field('S', "WARNING");
        field('V', "WARNING");
        field('C', state.code());
        field('M', message);
        out.putByte(0).end();
    }

    private void field(char type, String value) {
        out.putByte(type).putText(value);
    }

    /**
     * Writes ReadyForQuery, and flushes.
     *
     * @param transaction I: outside a transaction, T: in a transaction, E: in a failed transaction
     */
    public void ready(char transaction) throws IOException {
        out.begin('Z').putByte(transaction).end();
        out.flush();
    }

    public void parameterStatus(String name, String value) throws IOException {
        out.begin('S').putText(name).putText(value).end();
    }

    public void commandComplete(String tag) throws IOException {
        out.begin('C').putText(tag).end();
    }

    /** Writes a message that consists of its type only. */
    public void empty(char type) throws IOException {
        out.begin(type).end();
    }

    /** Writes an authentication message, with the data after its code. */
    public void authentication(int code, byte[] data) throws IOException {
        out.begin('R').putInt(code).putBytes(data).end();
    }

    public void backendKey(int processId, int secret) throws IOException {
        out.begin('K').putInt(processId).putInt(secret).end();
    }

    public void parameterDescription(List<Integer> typeOids) throws IOException {
        out.begin('t').putShort(typeOids.size());
        typeOids.forEach(out::putInt);
        out.end();
    }

    /** Writes CopyInResponse or CopyOutResponse. */
    public void copyResponse(char type, boolean binary, int columns) throws IOException {
        out.begin(type).putByte(binary ? 1 : 0).putShort(columns);
        for (int i = 0; i < columns; i++) {
            out.putShort(binary ? 1 : 0);
        }
        out.end();
    }
}
