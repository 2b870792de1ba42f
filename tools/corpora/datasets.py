"""The real corpora that the project's workflows use: files, checksums, licences.

None of them comes with the package.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class DataFile:
    """A file below the data folder."""

    path: str
    sha256: str


@dataclass(frozen=True)
class Dataset:
    description: str
    licence: str
    files: tuple[DataFile, ...]


DATASETS = {
    "conll2000": Dataset(
        "Phrase chunks and automatic Penn tags, English news (CoNLL-2000 shared task)",
        "none stated; derived from the WSJ part of the Penn Treebank",
        (
            DataFile(
                "conll2000/train.txt.gz",
                "bb828b11822d90dd2189b9b2d81436f7f09f9d53cf2e3514ffc408cf90434e4f",
            ),
            DataFile(
                "conll2000/test.txt",
                "73b7b1e565fa75a1e22fe52ecdf41b6624d6f59dacb591d44252bf4d692b1628",
            ),
        ),
    ),
    "ud_ewt": Dataset(
        "Universal and Penn tags, English web (Universal Dependencies, EWT)",
        "CC BY-SA 4.0",
        (
            DataFile(
                "ud_ewt/train.tsv.gz",
                "82f9d4bf8dc3db510ab4199c401d47b90f0d8744f3ee27cc497ade9ac0b055ed",
            ),
            DataFile(
                "ud_ewt/dev.tsv",
                "f3a6f06bc6861cc4e56d7bb1d495f59cbcdb24745092072f1c7d9de629e8f2db",
            ),
            DataFile(
                "ud_ewt/test.tsv",
                "f64114d07eda85617cd0cb6b1d099093286a1880ec5562af7659659a26c2e002",
            ),
        ),
    ),
    "lm_text": Dataset(
        "Plain sentences, English: speeches (domain a), news (domain b)",
        "domain a: CC0 1.0; domain b: research use only",
        (
            DataFile(
                "lm_text/domain_a.train.txt.gz",
                "61863761d90f4327f8f14a3fb78e2fdd48d9f76614c9e22e6243c4e0da3b633f",
            ),
            DataFile(
                "lm_text/domain_a.test.txt.gz",
                "876b31582afcba645afae7fbf61082cdca6bb923d3f9fce853d396c8d9ee516c",
            ),
            DataFile(
                "lm_text/domain_b.txt.gz",
                "f52946584d8eeb15cb64c0b947ea68590009fcb351bc8fcd52400eb414a582b7",
            ),
        ),
    ),
    "wnut17": Dataset(
        "Emerging entities, English user-generated text (W-NUT 2017)",
        "CC BY 4.0",
        (
            DataFile(
                "wnut17/train.conll",
                "731820e13f71af324c6b55a1575ec2ce59fbaa2a0806f8f0400b98d56cd6a7a5",
            ),
            DataFile(
                "wnut17/dev.conll",
                "e053b752b8155113ca66e7db08af5f2f5f43ab993694e4774f1ec5bad42312d8",
            ),
            DataFile(
                "wnut17/test.conll",
                "2aa79b764e56ec9264a1b30fdd9b70195bd00ff400b62edd8f399d5f13c178f0",
            ),
        ),
    ),
    "conll2002": Dataset(
        "Entities and automatic tags, Spanish and Dutch news (CoNLL-2002 shared task)",
        "for research in the context of the shared task only",
        (
            DataFile(
                "conll2002/esp.train.gz",
                "6fec38aa20e7b718977d49f239e81c37b36cdb17267ed5ecf0fb2be7408220ec",
            ),
            DataFile(
                "conll2002/esp.testa",
                "85c17793b77881c53d19017d9d0f1e6fb98b7ddcab54a5f24b05ed1793103c87",
            ),
            DataFile(
                "conll2002/esp.testb",
                "1f8f7a392c6d4979a5592a5794eed43d7869b46da6851bbcde99714149f1d016",
            ),
            DataFile(
                "conll2002/ned.train.gz",
                "554903fbaf8799742c74e75e648e11cd12c635d00237331c18a1aaa21129c9eb",
            ),
            DataFile(
                "conll2002/ned.testa",
                "51259d4bfe52462f211d3d0b67173a7ecbfa296e199f6c6bd0895f4c78155057",
            ),
            DataFile(
                "conll2002/ned.testb",
                "2aa748edb82e6f9c4d82e57a4bed69ded18cfa4803122c75070335d513517488",
            ),
        ),
    ),
    "jnlpba": Dataset(
        "Biomedical entities, MEDLINE abstracts (BioNLP/JNLPBA 2004), and GENIA tags",
        "annotation CC BY 3.0 (GENIA project); abstracts under the PubMed terms",
        (
            DataFile(
                "jnlpba/train.iob2.gz",
                "495e52f462025969971f3fd19793a6e3df6e7cecf3a01f28f47d90c06168bfd1",
            ),
            DataFile(
                "jnlpba/train.pos.iob2.gz",
                "456eb922418e44d771d2cba6d320eb25582ca2282db50c1b0fbd1399000063ed",
            ),
            DataFile(
                "jnlpba/train_first1800.iob2.gz",
                "9cf2ed14e7a56c3ecc335cd1bd27e30983bcd432478b0f23f4aec7a2c53124d2",
            ),
            DataFile(
                "jnlpba/dev_last200.iob2",
                "399f947b69865bbafd3c6af3e6897606c490f8b492040ddedd2c96dad7399e0a",
            ),
            DataFile(
                "jnlpba/test.iob2",
                "4334602737eef0aa3a91c8d5b5122f23447baa85c276c27385f921cb228a1e7c",
            ),
        ),
    ),
}
