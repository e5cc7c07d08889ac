package io.stele.protocol.row;

/** Validation and counting of UTF-8 text in place, for rows. Pure. */
final class Utf8 {
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

    private static final long LOW_BITS = 0x0101_0101_0101_0101L;
    private static final long QUESTION_MARKS = LOW_BITS * '?';

    private Utf8() {}

    /**
     * The number of code points, or -1 if the bytes are not well-formed UTF-8 (overlong, surrogate,
     * too large, cut).
     */
    static int countCodePoints(byte[] bytes, int offset, int length) {
        int at = offset;
        int end = offset + length;
        while (at <= end - 8 && ((long) GrowingBytes.LONGS.get(bytes, at) & HIGH_BITS) == 0) {
            at += 8;
        }
        int count = at - offset;
        while (at < end) {
            int size = bytes[at] >= 0 ? 1 : sequenceLength(bytes, at, end);
            if (size == 0) {
                return -1;
            }
            at += size;
            count++;
        }
        return count;
    }

    /**
     * Whether text has a surrogate without its partner, which UTF-8 cannot represent: Java's
     * encoder wrote a question mark for it.
     *
     * @param encoded the text as the encoder wrote it
     */
    static boolean isLossy(String text, byte[] encoded) {
        // With as many bytes as characters, each byte has the position of its character.
        boolean aligned = encoded.length == text.length();
        for (int at = nextQuestionMark(encoded, 0);
                at < encoded.length;
                at = nextQuestionMark(encoded, at + 1)) {
            if (!aligned) {
                return hasLoneSurrogate(text);
            }
            if (text.charAt(at) != '?') {
                return true;
            }
        }
        return false;
    }

    private static boolean hasLoneSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            if (Character.isHighSurrogate(character)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(character)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The position of the next question mark, or the length. It compares eight bytes at a time: a
     * byte of the difference is zero at a question mark, and the lowest set bit marks the first
     * one.
     */
    private static int nextQuestionMark(byte[] bytes, int from) {
        int at = from;
        for (; at <= bytes.length - 8; at += 8) {
            long difference = (long) GrowingBytes.LONGS.get(bytes, at) ^ QUESTION_MARKS;
            long zeros = (difference - LOW_BITS) & ~difference & HIGH_BITS;
            if (zeros != 0) {
                return at + Long.numberOfTrailingZeros(zeros) / 8;
            }
        }
        while (at < bytes.length && bytes[at] != '?') {
            at++;
        }
        return at;
    }

    /**
     * The length of the well-formed sequence of two to four bytes at a position; 0 if it is not
     * well-formed.
     */
    private static int sequenceLength(byte[] bytes, int at, int end) {
        int first = bytes[at] & 0xFF;
        if (first < 0xC2 || first > 0xF4) {
            return 0;
        }
        int size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        if (size > end - at) {
            return 0;
        }
        int second = bytes[at + 1] & 0xFF;
        int low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        int high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (second < low || second > high) {
            return 0;
        }
        for (int i = 2; i < size; i++) {
            if ((bytes[at + i] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return size;
    }
}
