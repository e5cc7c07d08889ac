package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.FileEntry;
import io.stele.engine.node.Shards;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The in-memory set of files of workers and bulk loads that commits are adding at the moment, so
 * that no file is added twice. A shard identifies a file by its id and deletes it by its path. A
 * second file with the same id would be mistaken for the first, and a second entry of the same
 * object would outlive it. Safe for use by many threads.
 */
final class FileClaims {
    private final Shards shards;
    private final Set<Claim> claims = ConcurrentHashMap.newKeySet();

    FileClaims(Shards shards) {
        this.shards = requireNonNull(shards, "shards is null");
    }

    /**
     * Claims the files until {@link #release}; by then the files are in their shards, or never will
     * be.
     *
     * @throws SteleException INVALID_ARGUMENT when a file occurs twice, is being added by another
     *     transaction, or is in its shard already; nothing is claimed then
     */
    void claim(Map<ShardId, List<FileEntry>> files) {
        List<Claim> claimed = new ArrayList<>();
        try {
            files.forEach(
                    (shard, entries) -> {
                        entries.forEach(entry -> claim(shard, entry, claimed));
                        Set<String> present = present(shard);
                        entries.forEach(entry -> checkNew(shard, entry, present));
                    });
        } catch (SteleException refused) {
            claimed.forEach(claims::remove);
            throw refused;
        }
    }

    /**
     * Claims the objects that no commit is adding: until {@link #release(ShardId, Set)} no commit
     * can add them.
     */
    Set<String> claimUnclaimed(ShardId shard, List<String> paths) {
        Set<String> claimed = new HashSet<>();
        for (String path : paths) {
            if (claims.add(new Claim(shard, path))) {
                claimed.add(path);
            }
        }
        return claimed;
    }

    /** Releases claims of {@link #claimUnclaimed}. */
    void release(ShardId shard, Set<String> paths) {
        paths.forEach(path -> claims.remove(new Claim(shard, path)));
    }

    void release(Map<ShardId, List<FileEntry>> files) {
        files.forEach(
                (shard, entries) ->
                        entries.forEach(
                                entry ->
                                        names(entry)
                                                .forEach(
                                                        name ->
                                                                claims.remove(
                                                                        new Claim(shard, name)))));
    }

    private void claim(ShardId shard, FileEntry entry, List<Claim> claimed) {
        for (String name : names(entry)) {
            Claim claim = new Claim(shard, name);
            if (!claims.add(claim)) {
                throw refused(
                        shard,
                        entry,
                        name,
                        "the transaction, or another one, adds it twice, or it is being removed");
            }
            claimed.add(claim);
        }
    }

    private static void checkNew(ShardId shard, FileEntry entry, Set<String> present) {
        for (String name : names(entry)) {
            if (present.contains(name)) {
                throw refused(shard, entry, name, "it is there already");
            }
        }
    }

    private Set<String> present(ShardId shard) {
        Set<String> names = new HashSet<>();
        for (TableShard table : shards.shard(shard).tables()) {
            table.view().files().forEach(file -> names.addAll(names(file)));
        }
        return names;
    }

    /**
     * The names to claim for a file, its paths and its id: no id has a slash, every path has one.
     */
    private static List<String> names(FileEntry entry) {
        List<String> names = new ArrayList<>(entry.immutablePaths());
        names.add(entry.fileId());
        return names;
    }

    private static SteleException refused(
            ShardId shard, FileEntry entry, String name, String found) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected a new file for shard %s, found '%s' of file %s: %s"
                        .formatted(shard, name, entry.path(), found));
    }

    private record Claim(ShardId shard, String name) {}
}
