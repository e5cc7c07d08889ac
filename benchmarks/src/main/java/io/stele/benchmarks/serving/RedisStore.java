package io.stele.benchmarks.serving;

import io.stele.benchmarks.ingest.UserRows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The store of the serving benchmark that is Redis, over a socket, with a hash for each row, whose
 * fields are those of {@link ServingRows}.
 */
final class RedisStore implements ServingStore {
    /** Rows on their way while rows are loaded. */
    private static final int PIPELINE = 200;

    private static final List<String> FIELDS =
            IntStream.range(0, UserRows.FIELDS).mapToObj(field -> "field" + field).toList();

    private final int port;

    RedisStore(int port) {
        this.port = port;
    }

    void load(ServingRows rows) throws IOException {
        try (RespConnection connection = RespConnection.open(PostgresAddress.HOST, port)) {
            long answered = 0;
            for (long id = 1; id <= rows.count(); id++) {
                connection.send(set(id));
                if (id - answered == PIPELINE || id == rows.count()) {
                    for (; answered < id; answered++) {
                        connection.reply();
                    }
                }
            }
        }
    }

    @Override
    public String name() {
        return "Redis";
    }

    @Override
    public Session open() throws IOException {
        return new RedisSession(RespConnection.open(PostgresAddress.HOST, port));
    }

    @Override
    public void close() {}

    private static String key(long id) {
        return ServingRows.TABLE + ":" + id;
    }

    private static List<String> get(long id) {
        List<String> command = new ArrayList<>(ServingRows.COLUMNS + 1);
        command.add("HMGET");
        command.add(key(id));
        command.addAll(FIELDS);
        return command;
    }

    private static List<String> set(long id) {
        Object[] values = ServingRows.values(id);
        List<String> command = new ArrayList<>(2 * ServingRows.COLUMNS);
        command.add("HSET");
        command.add(key(id));
        for (int field = 0; field < UserRows.FIELDS; field++) {
            command.add(FIELDS.get(field));
            command.add((String) values[1 + field]);
        }
        return command;
    }

    private record RedisSession(RespConnection connection) implements Session {
        @Override
        public void get(long id) throws IOException {
            connection.send(RedisStore.get(id));
            checkRow();
        }

        @Override
        public void multiGet(long[] ids) throws IOException {
            for (long id : ids) {
                connection.send(RedisStore.get(id));
            }
            for (int i = 0; i < ids.length; i++) {
                checkRow();
            }
        }

        private void checkRow() throws IOException {
            if (!(connection.reply() instanceof List<?> fields) || fields.contains(null)) {
                throw new IllegalStateException("Expected a row with all fields in Redis");
            }
            ServingStore.checkFound(UserRows.FIELDS, fields.size());
        }

        @Override
        public void upsert(long id) throws IOException {
            connection.call(set(id));
        }

        @Override
        public void close() throws IOException {
            connection.close();
        }
    }
}
