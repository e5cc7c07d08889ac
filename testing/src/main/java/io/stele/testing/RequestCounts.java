package io.stele.testing;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counters of requests to a bucket, by their class in S3's price list and by the first folder of
 * their keys. Safe for use by many threads.
 */
public final class RequestCounts {
    /** Folders that are counted apart; what is beyond has no count of its own. */
    private static final int MAX_FOLDERS = 1_000;

    /** Requests of one price. */
    public enum Kind {
        /** PUT, COPY and POST; each part of a large object is one, its beginning and end two. */
        WRITE,
        LIST,
        /** GET and HEAD. */
        READ,
        /** Free. */
        DELETE;

        static Kind of(String method, String target) {
            String query = target.contains("?") ? target.substring(target.indexOf('?')) : "";
            return switch (method) {
                case "GET", "HEAD" ->
                        query.contains("list-type=") || query.contains("uploads") ? LIST : READ;
                case "DELETE" -> DELETE;
                default -> query.contains("?delete") || query.contains("&delete") ? DELETE : WRITE;
            };
        }
    }

    private final Map<String, Map<Kind, AtomicLong>> counts = new ConcurrentHashMap<>();

    /** Counts a request. */
    void add(HttpHead request) throws IOException {
        String target = request.secondWord();
        Map<Kind, AtomicLong> ofFolder = counts.get(folder(target));
        if (ofFolder == null && counts.size() < MAX_FOLDERS) {
            ofFolder = counts.computeIfAbsent(folder(target), _ -> zeros());
        }
        if (ofFolder != null) {
            AtomicLong count = ofFolder.get(Kind.of(request.firstWord(), target));
            if (count != null) {
                count.incrementAndGet();
            }
        }
    }

    /** Requests so far for keys that begin with a folder's name and a slash. */
    public long count(String folder, Kind kind) {
        AtomicLong count = counts.getOrDefault(folder, Map.of()).get(kind);
        return count == null ? 0 : count.get();
    }

    private static Map<Kind, AtomicLong> zeros() {
        Map<Kind, AtomicLong> zeros = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            zeros.put(kind, new AtomicLong());
        }
        return zeros;
    }

    /** Of {@code /bucket/folder/...}, or of {@code /bucket?prefix=folder/...}. */
    private static String folder(String target) {
        String[] pathAndQuery = target.split("\\?", 2);
        String[] names = pathAndQuery[0].split("/", 4);
        if (names.length > 2 && !names[2].isEmpty()) {
            return names[2];
        }
        for (String parameter : (pathAndQuery.length > 1 ? pathAndQuery[1] : "").split("&")) {
            if (parameter.startsWith("prefix=")) {
                return parameter.substring("prefix=".length()).split("/|%2F", 2)[0];
            }
        }
        return "";
    }
}
