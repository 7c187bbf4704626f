# xsltproc reads a document of 8,000 items and sorts them; on mimalloc instead of the system's allocator.

PROGRAM=xsltproc
FOLLOWED="mimalloc:"
# The library of Debian's package, wherever it is.
LIBRARY=$(ls /usr/lib/*/libmimalloc.so.2* 2> /dev/null | head -n 1)
[ -n "$LIBRARY" ] || { echo "run: mimalloc is not installed (apt-get install libmimalloc2.0)" >&2; exit 2; }

python3 -c '
items = "".join(f"<item><name>item {i * 7919 % 8000}</name><tag>a</tag><tag>{i}</tag></item>" for i in range(8000))
print(f"<items>{items}</items>")
' > "$work/data.xml"
cat > "$work/sort.xsl" << 'END'
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/items">
<xsl:for-each select="item"><xsl:sort select="name"/><xsl:value-of select="name"/></xsl:for-each>
</xsl:template></xsl:stylesheet>
END
set -- "$work/sort.xsl" "$work/data.xml"
