package io.stele.benchmarks.serving.ycsb;

import io.stele.benchmarks.serving.RespConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

/**
 * A YCSB binding of Redis, with a hash for each row, and a sorted set of all keys for scans. The
 * properties are {@code redis.host} and {@code redis.port}.
 */
public final class RedisYcsbClient extends DB {
    private @Nullable RespConnection connection;

    @Override
    public void init() throws DBException {
        try {
            connection =
                    RespConnection.open(
                            getProperties().getProperty("redis.host", "127.0.0.1"),
                            Integer.parseInt(getProperties().getProperty("redis.port")));
        } catch (IOException e) {
            throw new DBException(e);
        }
    }

    @Override
    public void cleanup() throws DBException {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (IOException e) {
            throw new DBException(e);
        }
    }

    private RespConnection connection() {
        if (connection == null) {
            throw new IllegalStateException("Expected init() before the first operation");
        }
        return connection;
    }

    private static String hash(String table, String key) {
        return table + ":" + key;
    }

    @Override
    public Status read(
            String table,
            String key,
            @Nullable Set<String> fields,
            Map<String, ByteIterator> result) {
        try {
            connection().send(List.of("HGETALL", hash(table, key)));
            HashMap<String, ByteIterator> row = row(fields);
            result.putAll(row);
            return row.isEmpty() ? Status.NOT_FOUND : Status.OK;
        } catch (IOException e) {
            return failed(e);
        }
    }

    private HashMap<String, ByteIterator> row(@Nullable Set<String> fields) throws IOException {
        List<?> words = list(connection().reply());
        HashMap<String, ByteIterator> row = new HashMap<>();
        for (int i = 0; i < words.size(); i += 2) {
            String name = (String) words.get(i);
            if (fields == null || fields.contains(name)) {
                row.put(name, new StringByteIterator((String) words.get(i + 1)));
            }
        }
        return row;
    }

    private static List<?> list(@Nullable Object reply) throws IOException {
        if (!(reply instanceof List<?> values)) {
            throw new IOException("Expected a list of Redis, found " + reply);
        }
        return values;
    }

    @Override
    public Status scan(
            String table,
            String startKey,
            int recordCount,
            @Nullable Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        try {
            List<?> keys =
                    list(
                            connection()
                                    .call(
                                            List.of(
                                                    "ZRANGEBYLEX",
                                                    table,
                                                    "[" + startKey,
                                                    "+",
                                                    "LIMIT",
                                                    "0",
                                                    Integer.toString(recordCount))));
            for (Object key : keys) {
                connection().send(List.of("HGETALL", hash(table, (String) key)));
            }
            for (int i = 0; i < keys.size(); i++) {
                result.add(row(fields));
            }
            return Status.OK;
        } catch (IOException e) {
            return failed(e);
        }
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        try {
            connection().call(set(table, key, values));
            return Status.OK;
        } catch (IOException e) {
            return failed(e);
        }
    }

    private static List<String> set(String table, String key, Map<String, ByteIterator> values) {
        List<String> command = new ArrayList<>(List.of("HSET", hash(table, key)));
        values.forEach(
                (name, value) -> {
                    command.add(name);
                    command.add(value.toString());
                });
        return command;
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        try {
            connection().send(set(table, key, values));
            connection().send(List.of("ZADD", table, "0", key));
            connection().reply();
            connection().reply();
            return Status.OK;
        } catch (IOException e) {
            return failed(e);
        }
    }

    @Override
    public Status delete(String table, String key) {
        try {
            connection().send(List.of("DEL", hash(table, key)));
            connection().send(List.of("ZREM", table, key));
            connection().reply();
            connection().reply();
            return Status.OK;
        } catch (IOException e) {
            return failed(e);
        }
    }

    private static Status failed(IOException e) {
        System.err.println("Redis: " + e.getMessage());
        return Status.ERROR;
    }
}
