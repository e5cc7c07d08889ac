package io.stele.cache.page.segment;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * A cache directory in memory that fills up, fails, is damaged and crashes. Guarded by itself.
 *
 * <p>A crash happens in the middle of a write; every later call fails. What is found afterwards is
 * what was written, if only the process was killed; if the power failed, some of what was written
 * since the last start is not there, or an index is an earlier one, because nothing is synced.
 */
public final class SimulatedDisk {
    private static final int SECTOR = 64;

    private final RandomGenerator random;
    private final Map<String, byte[]> files = new TreeMap<>();
    private Map<String, byte[]> atStart = new TreeMap<>();
    private long maxBytes = Long.MAX_VALUE;
    private boolean failing;
    private boolean full;
    private long crashAt = Long.MAX_VALUE;
    private int crashBytes = -1;
    private long writes;
    private int lastWriteBytes;
    private int opens;

    public SimulatedDisk(RandomGenerator random) {
        this.random = random;
    }

    /** A new process begins: its files, and no crash until told. */
    public synchronized CacheFiles open() throws IOException {
        check();
        opens++;
        return new Files(opens);
    }

    /** The process dies in the {@code count}-th write from now. */
    public synchronized void crashAfter(long count) {
        crashAt = writes + count;
    }

    /**
     * Lets the process die in the {@code count}-th write from now, of which at most {@code bytes}
     * are written. A file gets its new name if {@code bytes} is above zero.
     */
    public synchronized void crashAfter(long count, int bytes) {
        crashAt = writes + count;
        crashBytes = bytes;
    }

    /** Writes so far, new names included. */
    public synchronized long writes() {
        return writes;
    }

    /** What the last write was to write. */
    public synchronized int lastWriteBytes() {
        return lastWriteBytes;
    }

    /** A file as an earlier process, or somebody else, left it. */
    public synchronized void put(String name, byte[] content) {
        files.put(name, content.clone());
    }

    public synchronized List<String> names() {
        return List.copyOf(files.keySet());
    }

    public synchronized boolean isDead() {
        return writes >= crashAt;
    }

    /** Everything fails, or works again. */
    public synchronized void setFailing(boolean value) {
        failing = value;
    }

    /** No write finds space, not even where a file has a hole. */
    public synchronized void setFull(boolean value) {
        full = value;
    }

    /** Space for everything together. */
    public synchronized void setMaxBytes(long value) {
        maxBytes = value;
    }

    public synchronized long usedBytes() {
        return files.values().stream().mapToLong(file -> file.length).sum();
    }

    /** After a crash or an end of the process, before the next one. */
    public synchronized void restart(boolean powerFailed) {
        if (powerFailed) {
            files.replaceAll((name, bytes) -> survivor(name, bytes));
        }
        crashAt = Long.MAX_VALUE;
        crashBytes = -1;
        opens++;
        atStart = copy();
    }

    private byte[] survivor(String name, byte[] bytes) {
        byte[] before = atStart.getOrDefault(name, new byte[0]);
        if (name.equals(IndexFile.NAME) && random.nextInt(4) == 0) {
            return before.clone();
        }
        byte[] result = Arrays.copyOf(bytes, random.nextInt(4) == 0 ? lost(bytes) : bytes.length);
        for (int start = 0; start < result.length; start += SECTOR) {
            int end = Math.min(result.length, start + SECTOR);
            if (random.nextInt(8) == 0) {
                Arrays.fill(result, start, end, (byte) 0);
                int old = Math.min(end, before.length) - start;
                if (old > 0) {
                    System.arraycopy(before, start, result, start, old);
                }
            }
        }
        return result;
    }

    private int lost(byte[] bytes) {
        return bytes.length - random.nextInt(bytes.length + 1) / 4;
    }

    /** Changes some bytes of some file; returns whether there were any. */
    public synchronized boolean damage() {
        List<byte[]> candidates =
                files.values().stream().filter(bytes -> bytes.length > 0).toList();
        if (candidates.isEmpty()) {
            return false;
        }
        byte[] bytes = candidates.get(random.nextInt(candidates.size()));
        int start = random.nextInt(bytes.length);
        int end = Math.min(bytes.length, start + 1 + random.nextInt(2 * SECTOR));
        if (random.nextBoolean()) {
            Arrays.fill(bytes, start, end, (byte) 0);
        } else {
            bytes[start] ^= (byte) (1 << random.nextInt(8));
        }
        return true;
    }

    private Map<String, byte[]> copy() {
        Map<String, byte[]> result = new TreeMap<>();
        files.forEach((name, bytes) -> result.put(name, bytes.clone()));
        return result;
    }

    private void check() throws IOException {
        if (isDead()) {
            throw new IOException("the process is dead");
        }
        if (failing) {
            throw new IOException("the disk fails");
        }
    }

    private final class Files implements CacheFiles {
        private final int opened;

        Files(int opened) {
            this.opened = opened;
        }

        private void checkMine() throws IOException {
            check();
            if (opened != opens) {
                throw new IOException("files of an earlier process");
            }
        }

        @Override
        public List<String> list() throws IOException {
            synchronized (SimulatedDisk.this) {
                checkMine();
                return List.copyOf(files.keySet());
            }
        }

        @Override
        public CacheFile open(String name) throws IOException {
            synchronized (SimulatedDisk.this) {
                checkMine();
                files.putIfAbsent(name, new byte[0]);
                return new OpenFile(this, name);
            }
        }

        @Override
        public void rename(String from, String to) throws IOException {
            synchronized (SimulatedDisk.this) {
                checkMine();
                boolean dies = ++writes >= crashAt;
                lastWriteBytes = 1;
                if (!dies || (crashBytes < 0 ? random.nextBoolean() : crashBytes > 0)) {
                    files.put(to, files.remove(from));
                }
                check();
            }
        }

        @Override
        public void delete(String name) throws IOException {
            synchronized (SimulatedDisk.this) {
                checkMine();
                files.remove(name);
            }
        }

        @Override
        public long usableBytes() throws IOException {
            synchronized (SimulatedDisk.this) {
                checkMine();
                return full ? 0 : maxBytes - usedBytes();
            }
        }

        @Override
        public void close() {}
    }

    private final class OpenFile implements CacheFiles.CacheFile {
        private final Files owner;
        private final String name;

        OpenFile(Files owner, String name) {
            this.owner = owner;
            this.name = name;
        }

        private byte[] bytes() throws IOException {
            owner.checkMine();
            byte[] bytes = files.get(name);
            if (bytes == null) {
                throw new IOException("no file " + name);
            }
            return bytes;
        }

        @Override
        public long sizeBytes() throws IOException {
            synchronized (SimulatedDisk.this) {
                return bytes().length;
            }
        }

        @Override
        public void read(ByteBuffer target, long position) throws IOException {
            synchronized (SimulatedDisk.this) {
                byte[] bytes = bytes();
                if (position + target.remaining() > bytes.length) {
                    throw new EOFException(name + " ends");
                }
                target.put(bytes, (int) position, target.remaining());
            }
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            synchronized (SimulatedDisk.this) {
                byte[] bytes = bytes();
                if (full) {
                    throw new IOException("no space");
                }
                boolean dies = ++writes >= crashAt;
                int length = source.remaining();
                lastWriteBytes = length;
                if (dies) {
                    length =
                            crashBytes < 0
                                    ? random.nextInt(length + 1)
                                    : Math.min(length, crashBytes);
                }
                long growth = Math.max(0, position + length - bytes.length);
                boolean isTooMuch = usedBytes() + growth > maxBytes;
                if (isTooMuch) {
                    length = random.nextInt(length + 1);
                    growth = Math.max(0, position + length - bytes.length);
                    if (usedBytes() + growth > maxBytes) {
                        throw new IOException("no space");
                    }
                }
                if (growth > 0) {
                    bytes = Arrays.copyOf(bytes, (int) position + length);
                    files.put(name, bytes);
                }
                source.get(bytes, (int) position, length);
                check();
                if (isTooMuch) {
                    throw new IOException("no space");
                }
            }
        }

        @Override
        public void close() {}
    }
}
